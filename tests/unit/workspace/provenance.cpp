#include "workspace/provenance.hpp"

#include <sys/stat.h>

#include "base/digest.hpp"
#include "base/file.hpp"
#include "base/file_identity.hpp"
#include "catch.hpp"
#include "temporary.hpp"
#include "workspace/sidecars.hpp"

namespace fs = std::filesystem;
using namespace gdalmcp;
using namespace gdalmcp::workspace;

namespace {
fingerprint whole(const std::string& text) { return {base::sha256_hex(text), false, text.size()}; }
}  // namespace

TEST_CASE("a record names the files read by content, sidecars included") {
    const temporary t;
    put(t.path / "in.tif", "pixels");
    put(t.path / "in.tif.aux.xml", "nodata");
    provenance p;
    p.tool = "raster_reproject";
    p.bundle = "org.gdal-mcp.raster 0.1.0";
    p.arguments = {{"uri", "in.tif"}, {"dst_crs", "EPSG:3857"}};
    p.inputs = {{"/uri", "in.tif", t.path / "in.tif", {t.path / "in.tif.aux.xml"}, "EPSG:32616"}};
    p.outputs = {"/output"};
    p.decisions = {json::object{{"domain", "crs_datum"}, {"decision", "proceed"}}};
    p.versions = {{"gdal", "3.6.2"}};
    p.equivalent_command = "gdalwarp -t_srs EPSG:3857 in.tif out.tif";
    p.checks = {"re-opened"};
    p.started = time_point{};
    p.finished = time_point{} + std::chrono::milliseconds{1250};
    CHECK(recorded_files(p.inputs) == std::vector{t.path / "in.tif", t.path / "in.tif.aux.xml"});
    digests known{{t.path / "in.tif", whole("pixels")}, {t.path / "in.tif.aux.xml", whole("nodata")}};
    const auto record = provenance_record(p, known).value();
    const auto& in = record.at("inputs").at(0);
    CHECK(in.at("sha256").as_string() == base::sha256_hex("pixels"));
    CHECK(in.at("size") == 6);
    CHECK(in.at("argument") == "/uri");
    CHECK(record.at("outputs") == json::value{"/output"});
    CHECK_FALSE(record.contains("results"));
    CHECK(in.at("crs").as_string() == "EPSG:32616");
    CHECK(in.at("sidecars").at(0).at("sha256").as_string() == base::sha256_hex("nodata"));
    CHECK(record.at("started").as_string() == "1970-01-01T00:00:00.000Z");
    CHECK(record.at("finished").as_string() == "1970-01-01T00:00:01.250Z");
    REQUIRE(write_provenance(t.path / "out.tif", record));
    CHECK(provenance_path(t.path / "out.tif").filename() == "out.tif.provenance.json");
    CHECK(base::parse_json(get(t.path / "out.tif.provenance.json")).value() == json::value(record));
    known.erase(t.path / "in.tif.aux.xml");
    CHECK_THAT(provenance_record(p, known).error().message, Catch::Matchers::ContainsSubstring("in.tif.aux.xml"));
}

TEST_CASE("an input that has a record of its own is linked to it") {
    const temporary t;
    put(t.path / "filled.tif", "heights");
    put(t.path / "filled.tif.provenance.json", "{}");
    provenance p;
    p.inputs = {{"/uri", "filled.tif", t.path / "filled.tif", {}, ""}};
    const auto own = provenance_path(t.path / "filled.tif");
    CHECK(recorded_files(p.inputs) == std::vector{t.path / "filled.tif", own});
    const digests known{{t.path / "filled.tif", whole("heights")}, {own, whole("{}")}};
    const auto record = provenance_record(p, known).value();
    const auto& parent = record.at("inputs").at(0).at("provenance");
    CHECK(parent.at("path").as_string() == provenance_path(t.path / "filled.tif").string());
    CHECK(parent.at("sha256").as_string() == base::sha256_hex("{}"));
}

TEST_CASE("the steps behind managed results are recorded once each, in a chain as in a diamond") {
    const temporary t;
    put(t.path / "in.tif", "pixels");
    const auto made = [](const std::string& tool, std::vector<source> inputs) {
        provenance p;
        p.tool = tool;
        p.inputs = std::move(inputs);
        return provenance_outline(p);
    };
    const auto a = made("filter", {{"/uri", "in.tif", t.path / "in.tif", {}, ""}});
    const source from_a{"/uri", "query://result/a", t.path / "a", {}, "", a};
    const source from_b{"/inputs/B", "query://result/b", t.path / "b", {}, "", made("slope", {from_a})};
    const source from_c{"/inputs/C", "query://result/c", t.path / "c", {}, "", made("shade", {from_a})};
    provenance p;
    p.tool = "calc";
    p.inputs = {from_b, from_c};
    for (const char* name : {"b", "c"}) put(t.path / name, name);
    CHECK(recorded_files(p.inputs) == std::vector{t.path / "b", t.path / "c", t.path / "in.tif"});
    digests known{{t.path / "b", whole("b")}, {t.path / "c", whole("c")}, {t.path / "in.tif", whole("pixels")}};
    const auto record = provenance_record(p, known).value();
    REQUIRE(record.at("results").as_object().size() == 3);
    const auto slope = step_behind_result(record, "query://result/b").value();
    CHECK(slope.at("tool") == "slope");
    CHECK_FALSE(slope.at("inputs").at(0).as_object().contains("state"));  // of a managed result, which may be gone
    const auto filter = step_behind_result(slope, "query://result/a").value();
    CHECK(filter.at("inputs").at(0).at("sha256").as_string() == base::sha256_hex("pixels"));
    CHECK_FALSE(step_behind_result(record, "query://result/d"));
    put(t.path / "in.tif", "other pixels");
    const auto later = provenance_record(p, known).value();
    CHECK(step_behind_result(later, "query://result/a")->at("inputs").at(0).at("changed") == true);
}

TEST_CASE("the record of a step behind hundreds of others can be read") {
    const temporary t;
    put(t.path / "in.tif", "pixels");
    std::vector<source> before{{"/uri", "in.tif", t.path / "in.tif", {}, ""}};
    for (int i = 0; i < 200; ++i) {
        provenance p;
        p.tool = "step";
        p.inputs = before;
        before = {{"/uri", "query://result/" + std::to_string(i), t.path / "in.tif", {}, "", provenance_outline(p)}};
    }
    provenance last;
    last.inputs = before;
    const auto record = provenance_record(last, {{t.path / "in.tif", whole("pixels")}}).value();
    CHECK(record.at("results").as_object().size() == 200);
    CHECK(base::parse_json(base::write_json(record)));
}

TEST_CASE("a link in the place of an input's record is not followed") {
    const temporary t;
    put(t.path / "in.tif", "pixels");
    put(t.path / "secret", "not for anybody");
    fs::create_symlink("secret", t.path / "in.tif.provenance.json");
    provenance p;
    p.inputs = {{"/uri", "in.tif", t.path / "in.tif", {}, ""}};
    CHECK(recorded_files(p.inputs) == std::vector<fs::path>{t.path / "in.tif"});
    const auto record = provenance_record(p, {{t.path / "in.tif", whole("pixels")}}).value();
    CHECK_FALSE(record.at("inputs").at(0).as_object().contains("provenance"));
}

TEST_CASE("a digest that is not of the whole file is called another name, of a folder with such a file too") {
    const temporary t;
    put(t.path / "in.gdb/a", "a");
    put(t.path / "in.gdb/b", "b");
    provenance p;
    p.inputs = {{"/uri", "in.gdb", t.path / "in.gdb", {t.path / "in.gdb/a", t.path / "in.gdb/b"}, ""}};
    const digests known{{t.path / "in.gdb/a", whole("a")}, {t.path / "in.gdb/b", {std::string(64, 'f'), true, 5}}};
    const auto record = provenance_record(p, known).value();
    const auto& in = record.at("inputs").at(0).as_object();
    CHECK(in.at("size") == 6);
    CHECK_FALSE(in.contains("sha256"));
    CHECK(in.at("partial_sha256").as_string() ==
          base::sha256_hex(base::sha256_hex("a") + "  " + (t.path / "in.gdb/a").string() + "\n" + std::string(64, 'f') +
                           "  " + (t.path / "in.gdb/b").string() + "\n"));
    CHECK_FALSE(in.at("files").at(1).as_object().contains("sha256"));
    CHECK(in.at("files").at(1).at("partial_sha256").as_string() == std::string(64, 'f'));
}

TEST_CASE("a digest is remembered until the file changes, even at the same size and modification time") {
    const temporary t;
    const auto file = t.path / "in.tif";
    put(file, "before");
    const auto time = fs::last_write_time(file) - std::chrono::hours{1};
    fs::last_write_time(file, time);
    struct stat s {};
    REQUIRE(::stat(file.c_str(), &s) == 0);
    fingerprints known;
    CHECK_FALSE(known.find(file));
    known.remember(base::to_string(base::identity_of(s)), whole("before"));
    CHECK(known.find(file)->hex == base::sha256_hex("before"));
    fs::remove(file);
    CHECK_FALSE(known.find(file));
    put(file, "after!");
    fs::last_write_time(file, time);
    CHECK_FALSE(known.find(file));
}
