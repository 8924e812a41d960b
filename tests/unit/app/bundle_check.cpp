#include "app/authoring/bundle_check.hpp"

#include <stdlib.h>

#include "app/authoring/evidence_check.hpp"
#include "base/digest.hpp"
#include "base/file.hpp"
#include "catch.hpp"

using namespace gdalmcp;
using namespace gdalmcp::app;
using Catch::Matchers::ContainsSubstring;
namespace fs = std::filesystem;

namespace {

const fs::path build{BUILD_DIR};
const fs::path share = build / "share" / "gdal-mcp";

const installation& parts() {
    static const installation all{build / "bin" / "gdal-mcp-worker",
                                  build / "bin" / "gdal-mcp-worker-plain",
                                  share / "bundles",
                                  share / "reflection-specs",
                                  share / "prompts",
                                  share / "template"};
    return all;
}

#ifdef GDALMCP_SANITIZED  // which catches the signal
constexpr const char* crash = "ended with exit code 1";
#else
constexpr const char* crash = "signal 11";
#endif

check_report checked(const fs::path& bundle, std::chrono::seconds limit = std::chrono::seconds{20},
                     const fs::path& samples = {}) {
    check_settings s;
    s.limit = limit;
    s.samples = samples;
    auto report = check_bundle(bundle, configuration{}, parts(), s);
    INFO((report ? std::string{} : report.error().message));
    REQUIRE(report);
    return std::move(*report);
}

// What one check says of a subject; "" when it says nothing of that weight.
std::string said(const check_report& r, const std::string& subject, verdict v, const std::string& check) {
    for (const auto& f : r.findings)
        if (f.subject == subject && f.verdict == v && f.check == check) return f.message + "\n" + f.hint;
    return "";
}

// A copy of a bundle that a test may spoil.
class copied_bundle {
public:
    explicit copied_bundle(const std::string& name = "noop") : name_{name + ".bundle"} {
        std::string parent = (fs::temp_directory_path() / "bundle-check-XXXXXX").string();
        REQUIRE(::mkdtemp(parent.data()));
        parent_ = parent;
        place(name_);
    }
    ~copied_bundle() { fs::remove_all(parent_); }
    copied_bundle(const copied_bundle&) = delete;

    fs::path folder() const { return parent_ / name_; }
    void place(const std::string& bundle) const {
        fs::copy(build / "test-bundles" / bundle, parent_ / bundle, fs::copy_options::recursive);
    }
    // A file more: kind is a list of the manifest, "reflection" or "prompts".
    void bring(const std::string& kind, const std::string& file, const std::string& text) const {
        fs::create_directories(folder() / kind);
        REQUIRE(base::write_file_atomically(folder() / kind / file, text));
        spoil([&](json::object& m) {
            if (!m.contains(kind)) m[kind] = json::array{};
            m[kind].as_array().emplace_back(kind + "/" + file);
            m["files"].as_object()[kind + "/" + file] = "sha256:" + base::sha256_hex(text);
        });
    }
    void spoil(const std::function<void(json::object&)>& change) const {
        auto manifest = base::parse_json(base::read_file(folder() / "manifest.json").value()).value();
        change(manifest.as_object());
        REQUIRE(base::write_file_atomically(folder() / "manifest.json", base::write_json(manifest)));
    }

private:
    const std::string name_;
    fs::path parent_;
};

const check_report& defects() {
    static const auto report = checked(build / "test-bundles" / "defects.bundle", std::chrono::seconds{2});
    return report;
}

}  // namespace

TEST_CASE("the bundles that ship, and the smallest one, pass without a failure") {
    const auto bundle = GENERATE(
        "share/gdal-mcp/bundles/raster.bundle", "share/gdal-mcp/bundles/vector.bundle",
        "share/gdal-mcp/bundles/aggregation.bundle", "share/gdal-mcp/bundles/raster-evidence.bundle",
        "share/gdal-mcp/bundles/hydrology-evidence.bundle", "share/gdal-mcp/bundles/aggregation-evidence.bundle",
        "share/gdal-mcp/bundles/vector-evidence.bundle", "test-bundles/noop.bundle");
    const auto report = checked(build / bundle);
    UNSCOPED_INFO(readable(report));
    CHECK(report.exit_code(false) == 0);
}

TEST_CASE("the hydrology bundle passes with directions of the flow among the samples") {
    const copied_bundle beside;
    const auto mine = beside.folder().parent_path() / "flow";
    fs::create_directory(mine);
    REQUIRE(base::write_file_atomically(mine / "flow.asc",
                                        "ncols 4\nnrows 3\nxllcorner 500000\nyllcorner 5000000\ncellsize "
                                        "1000\nNODATA_value 255\n1 1 1 4\n1 1 1 4\n1 1 1 4\n"));
    REQUIRE(base::write_file_atomically(mine / "flow.asc.aux.xml",
                                        "<PAMDataset><SRS>EPSG:32633</SRS><Metadata><MDI key=\"GDALMCP_FLOW_ENCODING\">"
                                        "esri</MDI></Metadata></PAMDataset>"));
    const auto report = checked(build / "share/gdal-mcp/bundles/hydrology.bundle", std::chrono::seconds{20}, mine);
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
        {"check_writes_beside", verdict::failure, "annotations", "dem.asc.index was added"},
        {"check_crashes_on_empty", verdict::failure, "odd input", crash},
        {"check_undeclared", verdict::failure, "sample call", "surprise"},
        {"check_never_ends", verdict::failure, "sample call", "does not return"},
        {"check_ignores_cancel", verdict::failure, "cancel", "ignores cancellation and must be killed"},
        {"check_not_idempotent", verdict::failure, "idempotent", "a different result the second time"},
        {"check_not_idempotent", verdict::note, "units", "length"},
        {"check_backwards", verdict::warning, "progress", "below the previous one"},
        {"check_bad_output", verdict::failure, "sample call", "cannot be opened again"},
        {"check_overwrites", verdict::failure, "annotations", "destructive"},
        {"check_overwrites", verdict::warning, "annotations", "network"},
        {"check_refuses", verdict::failure, "sample call", "nothing is good enough"},
        {"check_wants_its_own", verdict::failure, "sample call", "no special raster"},
        {"check_reads_beside", verdict::warning, "reads", "/etc/shells"},
        {"check_reads_beside", verdict::warning, "reads", "/points.geojson"},
        {"check_prints", verdict::warning, "stdout", "43 bytes to stdout"},
        {"check_prints", verdict::warning, "stdout", "one line, and a rest that is still buffered"},
        {"check_asks_badly", verdict::failure, "sample call", "'pattern', which forms do not allow"},
    }));
    INFO(d.tool);
    CHECK_THAT(said(defects(), d.tool, d.weight, d.check), ContainsSubstring(d.message));
}

TEST_CASE("a failure comes with the call that shows it") {
    CHECK_THAT(said(defects(), "check_crashes_on_empty", verdict::failure, "odd input"),
               ContainsSubstring(R"(gdal-mcp call check_crashes_on_empty --json '{"text":""}' --bundles ')"));
}

TEST_CASE("a tool whose questions get no answer has no defect; a note reports the untested answers") {
    for (const auto& f : defects().findings)
        if (f.subject == "check_asks" && f.check != "questions" && f.check != "cancel") {
            INFO(f.check << ": " << f.message);
            CHECK(f.verdict == verdict::ok);
        }
    CHECK_THAT(said(defects(), "check_asks", verdict::note, "questions"), ContainsSubstring("it asks 1 question;"));
}

TEST_CASE("a tool without a defect has no finding against it") {
    for (const auto& f : defects().findings)
        if (f.subject == "check_sound") {
            INFO(f.check << ": " << f.message);
            CHECK(f.verdict == verdict::ok);
        }
}

TEST_CASE("all findings of the lint are reported together, with the host's reaction") {
    const copied_bundle b;
    b.spoil([](json::object& m) {
        auto& tool = m["tools"].as_array().front().as_object();
        tool["name"] = "Noop";
        tool["input_schema"].as_object()["$ref"] = "#";
    });
    const auto report = checked(b.folder());
    CHECK_THAT(said(report, "manifest.json", verdict::failure, "manifest"), ContainsSubstring("quarantine"));
    std::string all;
    for (const auto& f : report.findings)
        if (f.check == "schema") all += f.message;
    CHECK_THAT(all, ContainsSubstring("\"Noop\"") && ContainsSubstring("$ref"));
    CHECK(report.exit_code(false) == 3);
}

TEST_CASE("every file that is changed, unlisted, missing or open to others is named") {
    const copied_bundle b;
    REQUIRE(base::write_file_atomically(b.folder() / "lib" / "noop.so", "changed"));
    REQUIRE(base::write_file_atomically(b.folder() / "stray.txt", "nobody lists me"));
    b.spoil([](json::object& m) { m["files"].as_object()["prompts/gone.md"] = "sha256:" + std::string(64, '0'); });
    fs::permissions(b.folder() / "lib" / "noop.so", fs::perms{0666});
    const auto report = checked(b.folder());
    CHECK_THAT(said(report, "lib/noop.so", verdict::failure, "hashes"), ContainsSubstring("the manifest lists"));
    CHECK_THAT(said(report, "lib/noop.so", verdict::failure, "modes"), ContainsSubstring("chmod"));
    CHECK_THAT(said(report, "prompts/gone.md", verdict::failure, "hashes"), ContainsSubstring("gone.md"));
    CHECK_THAT(said(report, "stray.txt", verdict::note, "hashes"), ContainsSubstring("does not list"));
}

TEST_CASE("a spec that cannot be used is a failure, and so is a tool that clashes") {
    const copied_bundle b;
    b.bring("reflection", "x.yaml", "extends: no_such_domain\ntools:\n  raster_info: {dst_crs: /x}\n");
    b.spoil([&](json::object& m) { m["tools"].as_array().front().as_object()["name"] = "raster_info"; });
    const auto report = checked(b.folder());
    CHECK_THAT(said(report, "reflection", verdict::failure, "specs"), ContainsSubstring("no_such_domain"));
    CHECK_THAT(said(report, "raster_info", verdict::failure, "name"), ContainsSubstring("org.gdal-mcp.raster"));
}

TEST_CASE("a rule that would disable a tool is a failure, and so is one for a tool that is not installed") {
    const auto rule = [](const std::string& tools) {
        const copied_bundle b;
        b.bring("prompts", "justify_a.md", "---\nname: justify_a\ntitle: A\ndescription: Asks.\n---\nWhy?\n");
        b.bring("reflection", "a.yaml",
                "domain: a\ntitle: a choice\nprompt: justify_a\nrisk: low\nquestion: Why?\nkey: {method: "
                "text}\ntools:\n  " +
                    tools + "\n");
        return checked(b.folder());
    };
    CHECK_THAT(said(rule("noop: {method: /absent}"), "reflection", verdict::failure, "specs"),
               ContainsSubstring("no call of 'noop' can give the key argument 'method'"));
    const auto unknown = rule("nobodys_tool: {method: /x}");
    CHECK_THAT(said(unknown, "reflection", verdict::failure, "specs"),
               ContainsSubstring("no bundle has a tool 'nobodys_tool'"));
    CHECK(unknown.exit_code(false) == 3);
    const auto sound = rule("raster_info: {method: /uri}");
    CHECK(said(sound, "reflection", verdict::failure, "specs").empty());
    CHECK(said(sound, "reflection", verdict::warning, "specs").empty());
}

TEST_CASE("the id of an installed bundle is taken, but not by itself") {
    const copied_bundle b;
    b.spoil([](json::object& m) { m["id"] = "org.gdal-mcp.raster"; });
    const auto report = checked(b.folder());
    CHECK_THAT(said(report, "org.gdal-mcp.raster", verdict::failure, "id"),
               ContainsSubstring("raster.bundle has this id"));
    CHECK(report.exit_code(false) == 3);
}

TEST_CASE("a measurement that the provider beside the bundle does not have is a failure") {
    const copied_bundle b{"gauge"};
    b.place("gauge-evidence.bundle");
    b.bring("prompts", "p.md", "---\nname: justify_gauge_zero\ntitle: t\ndescription: d\n---\nWhy?\n");
    b.bring("reflection", "zero.yaml",
            "domain: gauge_zero\ntitle: zero\nprompt: justify_gauge_zero\nrisk: low\nquestion: Which?\n"
            "key: {zero: lower}\ntools: {gauge_level: {zero: /zero}}\n"
            "evidence: [{name: record, tool: gauge_record, arguments: {level: /level}}]\n"
            "checks: [{name: c, when: {fact: /evidence/record/above_records, above: 0}, message: No.}]\n");
    CHECK_THAT(said(checked(b.folder()), "reflection", verdict::failure, "specs"),
               ContainsSubstring("'/evidence/record/above_records'") &&
                   ContainsSubstring("did you mean '/evidence/record/above_record'"));
}

TEST_CASE("every unusable spec and prompt is named, not only the first") {
    const copied_bundle b;
    b.bring("prompts", "p.md", "no front matter");
    b.bring("reflection", "a.yaml", "domain: a\nnonsense: 1\n");
    b.bring("reflection", "b.yaml", "extends: crs_datum\ntools:\n  raster_info: {dst_crs: /x}\n");
    std::string all;
    for (const auto& f : checked(b.folder()).findings)
        if (f.check == "specs" && f.verdict == verdict::failure) all += f.message + "\n";
    CHECK_THAT(all, ContainsSubstring("p.md"));
    CHECK_THAT(all, ContainsSubstring("a.yaml, line"));
    CHECK_THAT(all, ContainsSubstring("/tools/raster_info is not a tool of org.gdal-mcp.test.noop"));
}

TEST_CASE("evidence named by specs is checked: the provider beside the bundle, its arguments, its result") {
    struct evidence {
        const char *tool, *arguments;
        verdict weight;
        const char* message;
    };
    const auto e = GENERATE(values<evidence>({
        {"gauge_record", "level: /level", verdict::ok, ""},
        {"gauge_nowhere", "level: /level", verdict::warning, "no installed bundle provides the evidence"},
        {"gauge_writer", "level: /level", verdict::failure, "is not declared read-only"},
        {"gauge_record", "level: /level, depth: /level", verdict::failure,
         "'depth', which is not one of its arguments"},
        {"gauge_record", "depth: /level", verdict::failure, "does not pass it the required 'level'"},
        {"gauge_level", "level: /level, zero: /zero", verdict::failure, "its result has no string 'summary'"},
    }));
    INFO(e.tool << " " << e.arguments);
    const copied_bundle b{"gauge"};
    b.place("gauge-evidence.bundle");
    b.bring("prompts", "p.md", "---\nname: justify_gauge_zero\ntitle: t\ndescription: d\n---\nWhy?\n");
    b.bring("reflection", "zero.yaml",
            "domain: gauge_zero\ntitle: zero\nprompt: justify_gauge_zero\nrisk: low\nquestion: Which?\n"
            "key: {zero: lower}\ntools: {gauge_level: {zero: /zero}}\nevidence:\n  - {name: record, tool: " +
                std::string{e.tool} + ", arguments: {" + e.arguments + "}}\n");
    const auto report = checked(b.folder());
    UNSCOPED_INFO(readable(report));
    bool named = false;
    for (const auto& f : report.findings)
        named = named || (f.check == "evidence" && f.subject == e.tool && f.verdict == e.weight &&
                          f.message.find(e.message) != std::string::npos);
    CHECK(named);
    CHECK((report.exit_code(false) == 0) == (e.weight != verdict::failure));
}

TEST_CASE("evidence has a summary of one line") {
    const auto weight = [](const json::object& result) { return check_measured("p", result).front().verdict; };
    const std::string line(201, 'x');
    CHECK(weight({{"summary", "1 of 2"}, {"source", "counted"}}) == verdict::ok);
    CHECK(weight({{"summary", ""}, {"source", "counted"}}) == verdict::failure);
    CHECK(weight({{"summary", "1 of 2"}}) == verdict::failure);
    CHECK(weight({{"summary", line}, {"source", "counted"}}) == verdict::warning);
}

TEST_CASE("samples are kept in the requested folder, which must be empty") {
    const copied_bundle b;
    check_settings s;
    s.kept = b.folder().parent_path() / "samples";
    CHECK(check_bundle(b.folder(), configuration{}, parts(), s).value().samples == s.kept.string());
    CHECK(fs::exists(s.kept / "dem.asc"));
    const auto again = check_bundle(b.folder(), configuration{}, parts(), s);
    REQUIRE_FALSE(again);
    CHECK_THAT(again.error().message, ContainsSubstring("not empty"));
}

TEST_CASE("a tool is called with copies of the author's own datasets, which stay unchanged") {
    const copied_bundle b{"defects"};
    b.spoil([](json::object& m) {
        auto& tools = m["tools"].as_array();
        json::array two;
        for (auto& t : tools)
            if (t.at("name") == "check_wants_its_own" || t.at("name") == "check_writes_beside") two.push_back(t);
        tools = std::move(two);
    });
    check_settings s;
    s.samples = b.folder().parent_path() / "mine";
    const auto check = [&] { return check_bundle(b.folder(), configuration{}, parts(), s); };
    fs::create_directory(s.samples);
    REQUIRE(base::write_file_atomically(s.samples / "notes.txt", "no dataset"));
    REQUIRE_FALSE(check());
    CHECK_THAT(check().error().message, ContainsSubstring("GDAL cannot open any file in " + s.samples.string()));
    const auto grid = "ncols 2\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 1\n1 2\n3 4\n";
    REQUIRE(base::write_file_atomically(s.samples / "special.asc", grid));
    const auto report = check().value();
    UNSCOPED_INFO(readable(report));
    CHECK(said(report, "check_wants_its_own", verdict::failure, "sample call").empty());
    CHECK(said(report, s.samples.string(), verdict::ok, "samples") == "rasters: 1, vectors: 0\n");
    CHECK_THAT(said(report, "check_writes_beside", verdict::failure, "annotations"),
               ContainsSubstring("special.asc.index was added"));
    CHECK(base::read_file(s.samples / "special.asc").value() == grid);
    CHECK_FALSE(fs::exists(s.samples / "special.asc.index"));
}

TEST_CASE("a bundle without code whose resources are listed has no finding against it") {
    const copied_bundle b;
    fs::remove_all(b.folder() / "lib");
    b.bring("resources", "resources.yaml", "[]\n");
    b.spoil([](json::object& m) {
        for (const char* of_a_library : {"library", "abi", "resources"}) m.erase(of_a_library);
        m["tools"] = json::array{};
        m["files"].as_object().erase("lib/noop.so");
    });
    const auto report = checked(b.folder());
    UNSCOPED_INFO(readable(report));
    CHECK(report.count(verdict::ok) == report.findings.size());
}

TEST_CASE("a bare library is described first, and then checked like any other") {
    const copied_bundle b;
    const auto report = checked(b.folder() / "lib" / "noop.so");
    INFO(readable(report));
    CHECK(report.exit_code(true) == 0);
    CHECK(std::any_of(report.findings.begin(), report.findings.end(),
                      [](const finding& f) { return f.subject == "noop" && f.check == "sample call"; }));
    REQUIRE(base::write_file_atomically(b.folder() / "lib" / "text.so", "no library"));
    CHECK_THAT(said(checked(b.folder() / "lib" / "text.so"), "text.so", verdict::failure, "manifest"),
               ContainsSubstring("text.so"));
}

TEST_CASE("a report serves people and programs") {
    check_report r{"x.bundle",
                   "/tmp/samples",
                   {{"schema", "a_tool", verdict::ok, "", ""},
                    {"sample call", "a_tool", verdict::warning, "none succeeded", "give examples"}}};
    CHECK(r.exit_code(false) == 0);
    CHECK(r.exit_code(true) == 3);
    CHECK(readable(r) ==
          "x.bundle\n\na_tool\n  warning, sample call: none succeeded\n      give examples\n  ok: "
          "schema\n\n0 failures, 1 warning, 0 notes\n");
    CHECK(r.text().at("warnings") == json::value(1u));
    r.findings.push_back({"modes", "lib/x.so", verdict::failure, "others can write to it", ""});
    CHECK(r.exit_code(false) == 3);
    CHECK(r.text().at("ok") == json::value(false));
}
