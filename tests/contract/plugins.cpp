// Plugins of other times, languages and compilers, called through today's side of the ABI.
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

#include "base/json.hpp"
#include "base/schema.hpp"
#include "catch.hpp"
#include "contract/old_host.h"
#include "worker/abi_host.hpp"
#include "worker/plugin.hpp"

using namespace gdalmcp;
namespace json = base::json;

namespace {

struct outcome {
    gdalmcp_status status;
    json::value result;
    base::problem failure;
    std::vector<std::string> lines, warnings;
    json::array attachments;
};

// host: nullptr means today's table for this plugin.
outcome call(const worker::plugin& p, const char* tool, const char* arguments, const gdalmcp_host* host = nullptr) {
    const auto* t = p.find(tool);
    REQUIRE(t != nullptr);
    auto input = base::schema::compile(*base::parse_json(t->input_schema));
    REQUIRE(input);
    json::value given = *base::parse_json(arguments);
    const auto valid = input->check(given);
    REQUIRE((valid ? "" : valid.error().message) == "");
    input->fill_defaults(given);
    int sockets[2];
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) == 0);
    worker::running_call running{given, "/tmp", sockets[0]};
    const auto status =
        t->run(host ? host : &worker::running_call::table(p.table().abi_minor), running.handle(), t->self);
    ::close(sockets[0]);
    ::close(sockets[1]);
    if (status == GDALMCP_OK && t->output_schema) {
        auto output = base::schema::compile(*base::parse_json(t->output_schema));
        REQUIRE(output);
        const auto fits = output->check(running.result);
        CHECK((fits ? "" : fits.error().message) == "");
    }
    return {status, running.result, running.failure, running.lines, running.warnings, running.attachments};
}

worker::plugin load(const char* path) {
    auto p = worker::plugin::load(path);
    INFO(path);
    REQUIRE((p ? "" : p.error().message) == "");
    return *p;
}

void check_every_kind(const worker::plugin& p) {
    const auto o = call(p, "every_kind",
                        R"({"whole":9007199254740991,"word":"Å\u0000\"","system":"EPSG:3857","area":[1,2,3.5,4],)"
                        R"("object":{"a":[1,{"b":null}]},"numbers":[1,2.5],"words":["x",""],"maybe":0,)"
                        R"("bands":[3,1],"window":{"left":4,"scale":2},"place":{"label":"here"},)"
                        R"("classes":[{"label":"low"},{"label":"high","from":7.5}]})");
    REQUIRE(o.status == GDALMCP_OK);
    const auto expected = base::parse_json(
        R"({"yes":true,"whole":9007199254740991,"real":0.5,"word":"Å\u0000\"","pick":"left","system":"EPSG:3857",)"
        R"("box":[1,2,3.5,4],"geojson":"","object":{"a":[1,{"b":null}]},"numbers":[1,2.5],"words":["x",""],)"
        R"("maybe":true,"bands":[3,1],"left":4,"scale":true,"place":"here",)"
        R"("classes":[{"label":"low","from":0},{"label":"high","from":7.5}],"rows":[{"column":0},{"column":1},{"column":2}],"none":[],"inner":{"column":7}})");
    CHECK(base::canonical_json(o.result) == base::canonical_json(*expected));
    CHECK(o.lines == std::vector<std::string>{"every kind"});
    CHECK(o.warnings == std::vector<std::string>{"a warning"});
    CHECK(o.attachments ==
          base::parse_json(
              R"([{"media_type":"text/plain","text":"a text"},{"media_type":"image/png","image":"iVBORw=="},)"
              R"({"media_type":"text/html","link":"https://example.org/legend","name":"Legend",)"
              R"("description":"What the classes mean."}])")
              ->as_array());
}

void check_every_failure(const worker::plugin& p) {
    const auto error = call(p, "every_failure", R"({"how":"error"})");
    CHECK(error.status == GDALMCP_NOT_FOUND);
    CHECK(error.failure.message == "there is no band 9");
    CHECK(error.failure.hint == "bands: 1, 2");
    CHECK(call(p, "every_failure", R"({"how":"exception"})").status == GDALMCP_INTERNAL);
    CHECK(call(p, "every_failure", R"({"how":"exception"})").failure.message == "a defect");
    CHECK(call(p, "every_failure", R"({"how":"number"})").status == GDALMCP_INTERNAL);
    CHECK(call(p, "every_failure", R"({"how":"memory"})").status == GDALMCP_EXHAUSTED);
    CHECK(call(p, "every_failure", R"({"how":"cancelled"})").status == GDALMCP_CANCELLED);
}

}  // namespace

TEST_CASE("a plugin compiled against the released header runs today") {
    const auto p = load(FROZEN_PLUGIN);
    const auto o = call(p, "frozen", R"({"name":"Ås","factor":21})");
    REQUIRE(o.status == GDALMCP_OK);
    CHECK(o.result.at("product") == 42.0);
    CHECK(o.result.at("name") == "Ås");
    CHECK(o.result.at("kind") == static_cast<std::int64_t>(GDALMCP_INTEGER));
    CHECK(o.result.at("unknown_extension") == false);
    CHECK(std::filesystem::path{std::string{o.result.at("scratch").as_string()}}.parent_path() == "/tmp");
    CHECK(o.warnings == std::vector<std::string>{"old plugin"});
    const auto bad = call(p, "frozen", R"({"name":"x","factor":-1})");
    CHECK(bad.status == GDALMCP_INVALID_ARGUMENT);
    CHECK(bad.failure.hint == "give a factor of 0 or more");
}

TEST_CASE("a plugin is told the smaller of its minor and the host's") {
    const auto* old = &worker::running_call::table(0);
    CHECK(old->abi_minor == 0);
    CHECK(worker::running_call::table(GDALMCP_ABI_MINOR).abi_minor == GDALMCP_ABI_MINOR);
    CHECK(worker::running_call::table(99).abi_minor == GDALMCP_ABI_MINOR);
    CHECK(load(FROZEN_PLUGIN).table().abi_minor == 0);
}

TEST_CASE("a plugin of a later minor, with longer tables, runs today") {
    const auto p = load(FUTURE_PLUGIN);
    CHECK(p.table().struct_size == sizeof(gdalmcp_plugin));
    for (const std::string which : {"first", "second"}) {
        const auto o = call(p, ("future_" + which).c_str(), "{}");
        REQUIRE(o.status == GDALMCP_OK);
        CHECK(o.result == json::object({{"minor", GDALMCP_ABI_MINOR}, {"self", which}}));
        REQUIRE(o.attachments.size() == 1);
        CHECK(o.attachments[0].at("link") == "https://example.org/legend");
    }
}

TEST_CASE("plugins of today and of later minors run in a host of ABI 1.0") {
    const std::unique_ptr<void, void (*)(void*)> table{old_host_over(&worker::running_call::table(0)), &std::free};
    const auto* old = static_cast<const gdalmcp_host*>(table.get());
    const auto future = call(load(FUTURE_PLUGIN), "future_first", "{}", old);
    REQUIRE(future.status == GDALMCP_OK);
    CHECK(future.result.at("minor") == 0);
    CHECK(future.attachments == json::array{{{"media_type", "text/plain"}, {"text", "see the legend"}}});
    const auto today =
        call(load(EVERY_KIND_PLUGIN), "every_kind",
             R"({"whole":0,"word":"","system":"x","area":[0,0,1,1],"object":{},"numbers":[],"words":[]})", old);
    REQUIRE(today.status == GDALMCP_OK);
    REQUIRE(today.attachments.size() == 3);
    CHECK(today.attachments[2].at("text") == "Legend: https://example.org/legend");
    CHECK(call(load(FROZEN_PLUGIN), "frozen", R"({"name":"x","factor":2})", old).result.at("product") == 4.0);
}

TEST_CASE("a plugin that cannot serve this host, or whose tables are too short, is refused in words") {
    const auto why = [](const char* path) {
        const auto p = worker::plugin::load(path);
        return p ? std::string{"loaded"} : p.error().message;
    };
    CHECK(why(PICKY_PLUGIN) == std::string{"the plugin "} + PICKY_PLUGIN + " cannot serve a host of ABI minor 1");
    CHECK(why(SHORT_TABLE_PLUGIN) ==
          std::string{"the plugin "} + SHORT_TABLE_PLUGIN + " has a table of 48 bytes; ABI 1.0 has 56");
    CHECK(why(SHORT_TOOL_PLUGIN) ==
          std::string{"the plugin "} + SHORT_TOOL_PLUGIN + " has a tool 0 of 56 bytes; ABI 1.0 has 64");
}

TEST_CASE("a plugin in plain C runs") {
    const auto o = call(load(NOOP_PLUGIN), "noop", "{}");
    CHECK(o.status == GDALMCP_OK);
    CHECK(o.result == *base::parse_json(R"({"done":true})"));
}

TEST_CASE("every kind of argument and result crosses the border, and no exception does") {
    const auto p = load(EVERY_KIND_PLUGIN);
    check_every_kind(p);
    check_every_failure(p);
}

TEST_CASE("objects whose members all have defaults need not be given; optional ones are then absent") {
    const auto o = call(load(EVERY_KIND_PLUGIN), "every_kind",
                        R"({"whole":0,"word":"","system":"x","area":[0,0,1,1],"object":{},"numbers":[],"words":[]})");
    REQUIRE(o.status == GDALMCP_OK);
    CHECK(o.result.at("left") == 0);
    CHECK(o.result.at("scale") == false);
    CHECK(o.result.at("place") == "");
    CHECK(o.result.at("classes") == json::array{});
    CHECK(o.result.at("bands") == json::array({1, 2, 3}));
}

TEST_CASE("a band may be given alone; one that is not there is named") {
    const auto p = load(EVERY_KIND_PLUGIN);
    const std::string rest =
        R"("whole":0,"word":"","system":"x","area":[0,0,1,1],"object":{},"numbers":[],"words":[]})";
    CHECK(call(p, "every_kind", (R"({"bands":2,)" + rest).c_str()).result.at("bands") == json::array({2}));
    CHECK(call(p, "every_kind", (R"({"bands":"all",)" + rest).c_str()).result.at("bands") == json::array({1, 2, 3}));
    const auto beyond = call(p, "every_kind", (R"({"bands":[1,4],)" + rest).c_str());
    CHECK(beyond.status == GDALMCP_NOT_FOUND);
    CHECK(beyond.failure.message == "there is no band 4; the raster has 3");
}

TEST_CASE("datasets come one, many or not at all, and the output is always there") {
    const auto p = load(EVERY_KIND_PLUGIN);
    const auto few = call(p, "every_dataset", R"({"dem":"a","scenes":["b"],"output":"o"})");
    CHECK(few.result.at("paths") == json::array({"a", "b", "o"}));
    const auto all = call(p, "every_dataset",
                          R"({"dem":"a","scenes":["b","c"],"zones":{"type":"Point"},"others":["d"],"output":"o"})");
    CHECK(all.result.at("paths") == json::array({"a", "b", "c", R"({"type":"Point"})", "d", "o"}));
}

TEST_CASE("only https pages can be linked, and a link has a name") {
    int sockets[2];
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) == 0);
    worker::running_call running{json::object{}, "/tmp", sockets[0]};
    const auto link = [&](std::string_view uri, std::string_view name) {
        const gdalmcp_attachment a{sizeof a, GDALMCP_LINK, {}, {uri.data(), uri.size()}, {name.data(), name.size()},
                                   {}};
        return worker::running_call::table(1).attach(running.handle(), &a);
    };
    for (const char* refused :
         {"http://example.org/", "file:///etc/passwd", "/etc/passwd", "legend.html", "", "https://", "https:///path",
          "https://user:secret@example.org/", "https://example.org/a b", "https://example.org/\n",
          "javascript:alert(1)", "query://result/r-1", "HTTPS://EXAMPLE.ORG"}) {
        INFO(refused);
        CHECK(link(refused, "Legend") == GDALMCP_INVALID_ARGUMENT);
    }
    CHECK(link("https://example.org/" + std::string(2048, 'a'), "Legend") == GDALMCP_INVALID_ARGUMENT);
    CHECK(link("https://example.org/legend", "") == GDALMCP_INVALID_ARGUMENT);
    CHECK(running.attachments.empty());
    CHECK(link("https://example.org/legend?of=a%20map#top", "Legend") == GDALMCP_OK);
    ::close(sockets[0]);
    ::close(sockets[1]);
}

TEST_CASE("GeoJSON arrives as text") {
    const auto p = load(EVERY_KIND_PLUGIN);
    const auto o = call(p, "every_kind",
                        R"({"whole":0,"word":"","system":"x","area":{"type":"Point","coordinates":[1,2]},)"
                        R"("object":{},"numbers":[],"words":[]})");
    CHECK(o.result.at("box") == json::array{});
    CHECK(*base::parse_json(std::string{o.result.at("geojson").as_string()}) ==
          *base::parse_json(R"({"type":"Point","coordinates":[1,2]})"));
    CHECK(o.result.at("maybe") == false);
}

#ifdef CLANG_PLUGIN
TEST_CASE("a plugin built by clang runs in a host built by another compiler") {
    const auto p = load(CLANG_PLUGIN);
    check_every_kind(p);
    check_every_failure(p);
}
#endif
