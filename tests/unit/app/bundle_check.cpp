#include "app/bundle_check.hpp"

#include "catch.hpp"

using namespace gdalmcp;
using namespace gdalmcp::app;
using Catch::Matchers::Contains;
namespace fs = std::filesystem;

namespace {

const fs::path build{BUILD_DIR};
const fs::path share = build / "share" / "gdal-mcp";

check_report checked(const fs::path& bundle, std::chrono::seconds limit = std::chrono::seconds{20}) {
    const installation parts{build / "bin" / "gdal-mcp-worker", share / "bundles", share / "reflection-specs",
                             share / "prompts"};
    check_settings s;
    s.limit = limit;
    auto report = check_bundle(bundle, configuration{}, parts, s);
    INFO((report ? std::string{} : report.error().message));
    REQUIRE(report);
    return std::move(*report);
}

// What the check says of one tool of the defective bundle; "" when it says nothing of that weight.
std::string said(const check_report& r, const std::string& subject, verdict v, const std::string& check) {
    for (const auto& f : r.findings)
        if (f.subject == subject && f.verdict == v && f.check == check) return f.message + "\n" + f.hint;
    return "";
}

const check_report& defects() {
    static const auto report = checked(build / "test-bundles" / "defects.bundle", std::chrono::seconds{2});
    return report;
}

}  // namespace

TEST_CASE("the bundles that ship, and the smallest one, pass without a failure") {
    const auto bundle = GENERATE("share/gdal-mcp/bundles/raster.bundle", "share/gdal-mcp/bundles/vector.bundle",
                                 "share/gdal-mcp/bundles/hydrology.bundle",
                                 "share/gdal-mcp/bundles/aggregation.bundle", "test-bundles/noop.bundle");
    const auto report = checked(build / bundle);
    UNSCOPED_INFO(readable(report));
    CHECK(report.exit_code(false) == 0);
}

TEST_CASE("each defective tool is named with its defect, and a call that shows it") {
    struct defect {
        const char* tool;
        verdict weight;
        const char* check;
        const char* message;
    };
    const auto d = GENERATE(values<defect>({
        {"check_writes_beside", verdict::failure, "annotations", "dem.asc.index is new"},
        {"check_crashes_on_empty", verdict::failure, "odd input", "signal 11"},
        {"check_undeclared", verdict::failure, "sample call", "surprise"},
        {"check_never_ends", verdict::failure, "sample call", "does not end"},
        {"check_ignores_cancel", verdict::failure, "cancel", "goes on until it is killed"},
        {"check_not_idempotent", verdict::failure, "idempotent", "another result the second time"},
        {"check_not_idempotent", verdict::note, "units", "length"},
        {"check_backwards", verdict::warning, "progress", "below the one before"},
        {"check_bad_output", verdict::failure, "sample call", "cannot be opened again"},
        {"check_overwrites", verdict::failure, "annotations", "destructive"},
        {"check_overwrites", verdict::warning, "annotations", "network"},
        {"check_refuses", verdict::warning, "sample call", "nothing is good enough"},
    }));
    INFO(d.tool);
    CHECK_THAT(said(defects(), d.tool, d.weight, d.check), Contains(d.message));
}

TEST_CASE("a failure comes with the call that shows it") {
    CHECK_THAT(said(defects(), "check_crashes_on_empty", verdict::failure, "odd input"),
               Contains(R"(gdal-mcp call check_crashes_on_empty --json '{"text":""}' --bundles ')"));
}

TEST_CASE("a tool without a defect has no finding against it") {
    for (const auto& f : defects().findings)
        if (f.subject == "check_sound") {
            INFO(f.check << ": " << f.message);
            CHECK(f.verdict == verdict::ok);
        }
}
