#include "runner/confined_call.hpp"

#include <signal.h>

#include <filesystem>
#include <thread>

#include "base/digest.hpp"
#include "catch.hpp"

using namespace gdalmcp;
using namespace gdalmcp::runner;
namespace json = base::json;

namespace {
zygote make() { return zygote{GDALMCP_WORKER, {"PATH=/usr/bin", "HOME=/nonexistent"}}; }
request crs_request(const char* spelling) {
    request r;
    r.operation = "crs";
    r.spellings = {spelling};
    return r;
}
std::string normal(zygote& z, const char* spelling) {
    const cancellation never;
    auto e = run_confined(z, crs_request(spelling), std::chrono::seconds{20}, never, {}, answer_when::gone);
    if (!e) return e.error().code;
    return std::string{e->done.at("forms").at(0).at("normal").get_string()};
}
}  // namespace

TEST_CASE("a confined process names a CRS by its registry code, whatever the spelling") {
    auto z = make();
    CHECK(normal(z, "epsg:3857") == "EPSG:3857");
    CHECK(normal(z, "EPSG:900913") == "EPSG:3857");
    CHECK(normal(z, "urn:ogc:def:crs:EPSG::32633") == "EPSG:32633");
    CHECK(normal(z, "OGC:CRS84") == "OGC:CRS84");
    CHECK(normal(z, "EPSG:4326") == "EPSG:4326");
    CHECK(normal(z, "+proj=laea +lat_0=52 +lon_0=10").compare(0, 16, "projjson-sha256:") == 0);
    // WKT without a code, as an old file has it: known by its name and definition.
    CHECK(normal(z, R"(GEOGCS["NAD83",DATUM["North_American_Datum_1983",SPHEROID["GRS 1980",6378137,298.257222101]],
                       PRIMEM["Greenwich",0],UNIT["degree",0.0174532925199433]])") == "EPSG:4269");
    CHECK(normal(z, "/etc/passwd") == base::code::invalid_argument);
}

TEST_CASE("a zygote that was killed is replaced, and the next call works") {
    auto z = make();
    REQUIRE(normal(z, "EPSG:3857") == "EPSG:3857");
    const auto first = z.pid();
    REQUIRE(::kill(first, SIGKILL) == 0);
    CHECK(normal(z, "EPSG:3857") == "EPSG:3857");
    CHECK(z.pid() != first);
}

TEST_CASE("a call to a zygote that does not answer ends at its limit or its cancellation, and so does the zygote") {
    auto z = make();
    REQUIRE(normal(z, "EPSG:3857") == "EPSG:3857");
    REQUIRE(::kill(z.pid(), SIGSTOP) == 0);
    const auto ask = [&](const cancellation& c, std::chrono::milliseconds limit) {
        return run_confined(z, crs_request("EPSG:3857"), limit, c, {}, answer_when::gone).error().code;
    };
    CHECK(ask(cancellation{}, std::chrono::milliseconds{200}) == base::code::deadline);
    cancellation c;
    std::thread later{[&] {
        std::this_thread::sleep_for(std::chrono::milliseconds{100});
        c.stop();
    }};
    CHECK(ask(c, std::chrono::minutes{10}) == base::code::cancelled);
    later.join();
    CHECK(ask(c, std::chrono::minutes{10}) == base::code::cancelled);
}  // and its destructor returns

TEST_CASE("a zygote that was started ahead serves the first call") {
    auto z = make();
    z.start_ahead();
    const auto started = z.pid();
    CHECK(started > 0);
    z.start_ahead();
    CHECK(normal(z, "EPSG:3857") == "EPSG:3857");
    CHECK(z.pid() == started);
}

TEST_CASE("the zygote survives any text a file has as its CRS") {
    auto z = make();
    z.expect_crs("EPSG:4267");  // not running yet
    REQUIRE(normal(z, "EPSG:3857") == "EPSG:3857");
    const auto first = z.pid();
    for (const auto& code : {std::string{"EPSG:4267"}, std::string{"EPSG:0"}, std::string{"IGNF:LAMB93"},
                             std::string{"../../etc/passwd"}, std::string{}, std::string(70'000, '1')})
        z.expect_crs(code);
    for (int i = 0; i < 1000; ++i) z.expect_crs("EPSG:" + std::to_string(i));
    std::this_thread::sleep_for(std::chrono::milliseconds{100});  // it prepares when nothing is asked of it
    CHECK(normal(z, "EPSG:4267") == "EPSG:4267");
    CHECK(z.pid() == first);
}

TEST_CASE("a cancelled call is reported as cancelled, whatever its process answers") {
    auto z = make();
    cancellation c;
    c.stop();
    CHECK(run_confined(z, crs_request("EPSG:3857"), std::chrono::seconds{20}, c, {}, answer_when::gone).error().code ==
          base::code::cancelled);
}

TEST_CASE("calls run side by side on one zygote") {
    auto z = make();
    std::vector<std::thread> threads;
    std::atomic<int> good{0};
    for (int i = 0; i < 4; ++i)
        threads.emplace_back([&] {
            for (int k = 0; k < 5; ++k) good += normal(z, "EPSG:32633") == "EPSG:32633";
        });
    for (auto& t : threads) t.join();
    CHECK(good == 20);
}

namespace {

// A request to run a tool of the conformance bundle.
request run_request(const char* tool, json::object arguments) {
    request r;
    r.operation = "run";
    r.library = CONFORMANCE_PLUGIN;
    r.library_sha256 = base::sha256_hex_of_file(r.library).value();
    r.bundle = r.library.parent_path().parent_path();
    r.scratch = std::filesystem::temp_directory_path();
    r.tool = tool;
    r.arguments = std::move(arguments);
    return r;
}

}  // namespace

TEST_CASE("events of a running tool reach the caller: log lines with their level, and takes_long") {
    auto z = make();
    const cancellation never;
    std::vector<std::string> said;
    call_events events;
    events.log = [&](int level, std::string_view text) {
        said.push_back(std::to_string(level) + " " + std::string{text});
    };
    events.takes_long = [&] { said.emplace_back("takes long"); };
    const auto run = [&](const char* tool, json::object arguments) {
        said.clear();
        const auto e = run_confined(z, run_request(tool, std::move(arguments)), std::chrono::seconds{60}, never, events,
                                    answer_when::gone);
        return e ? "" : e.error().message;
    };
    CHECK(run("test_tool_with_logging", {}) == "");
    CHECK(said ==
          std::vector<std::string>{"6 Tool execution started", "6 Tool processing data", "6 Tool execution completed"});
    CHECK(run("slow_compute", {{"seconds", 0}, {"label", ""}}) == "");
    CHECK(said.empty());
    CHECK(run("slow_compute", {{"seconds", 0.001}, {"label", ""}}) == "");
    CHECK(said == std::vector<std::string>{"takes long"});
    CHECK_THAT(run("protocol_error_job", {}), Catch::Matchers::ContainsSubstring("Aborted"));
    CHECK(said == std::vector<std::string>{"takes long"});
}

TEST_CASE("a worker that cannot start is reported") {
    zygote z{"/nonexistent/gdal-mcp-worker", {}};
    const cancellation never;
    const auto e = run_confined(z, crs_request("EPSG:3857"), std::chrono::seconds{5}, never, {}, answer_when::gone);
    CHECK(e.error().code == base::code::crashed);
    CHECK(e.error().message.find("/nonexistent/gdal-mcp-worker") != std::string::npos);
}

TEST_CASE("a request can be awaited later, and its limit counts from its start") {
    auto z = make();
    const cancellation never;
    auto call = pending_call::begin(z, crs_request("EPSG:900913"), never, std::chrono::seconds{20});
    REQUIRE(call);
    CHECK(normal(z, "EPSG:4326") == "EPSG:4326");  // another goes on meanwhile
    const auto e = std::move(*call).finish(std::chrono::seconds{20}, never, {}, answer_when::gone);
    REQUIRE(e);
    CHECK(e->done.at("forms").at(0).at("normal").as_string() == "EPSG:3857");
    cancellation stopped;
    stopped.stop();
    call = pending_call::begin(z, crs_request("EPSG:3857"), never, std::chrono::seconds{20});
    CHECK(std::move(*call).finish(std::chrono::seconds{20}, stopped, {}, answer_when::gone).error().code ==
          base::code::cancelled);
    { const auto unwanted = pending_call::begin(z, crs_request("EPSG:3857"), never, std::chrono::seconds{20}); }
    CHECK(normal(z, "EPSG:3857") == "EPSG:3857");
}
