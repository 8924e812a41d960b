#include "workspace/provenance.hpp"

#include "base/digest.hpp"
#include "base/file.hpp"
#include "catch.hpp"
#include "temporary.hpp"
#include "workspace/sidecars.hpp"

namespace fs = std::filesystem;
using namespace gdalmcp;
using namespace gdalmcp::workspace;

TEST_CASE("a record names what was read by content, sidecars included") {
    const temporary t;
    put(t.path / "in.tif", "pixels");
    put(t.path / "in.tif.aux.xml", "nodata");
    provenance p;
    p.tool = "raster_reproject";
    p.bundle = "org.gdal-mcp.raster 0.1.0";
    p.arguments = {{"uri", "in.tif"}, {"dst_crs", "EPSG:3857"}};
    p.inputs = {{"in.tif", t.path / "in.tif", {t.path / "in.tif.aux.xml"}, "EPSG:32616"}};
    p.decisions = {json::object{{"domain", "crs_datum"}, {"decision", "proceed"}}};
    p.versions = {{"gdal", "3.6.2"}};
    p.equivalent_command = "gdalwarp -t_srs EPSG:3857 in.tif out.tif";
    p.checks = {"re-opened"};
    p.started = time_point{};
    p.finished = time_point{} + std::chrono::milliseconds{1250};
    fingerprints known;
    const auto record = provenance_record(p, known).value();
    const auto& in = record.at("inputs").at(0);
    CHECK(in.at("sha256").as_string() == base::sha256_hex("pixels"));
    CHECK(in.at("size") == 6);
    CHECK(in.at("crs").as_string() == "EPSG:32616");
    CHECK(in.at("sidecars").at(0).at("sha256").as_string() == base::sha256_hex("nodata"));
    CHECK(record.at("started").as_string() == "1970-01-01T00:00:00.000Z");
    CHECK(record.at("finished").as_string() == "1970-01-01T00:00:01.250Z");
    REQUIRE(write_provenance(t.path / "out.tif", record));
    CHECK(provenance_path(t.path / "out.tif").filename() == "out.tif.provenance.json");
    CHECK(base::parse_json(get(t.path / "out.tif.provenance.json")).value() == json::value(record));
    fs::remove(t.path / "in.tif.aux.xml");
    CHECK_FALSE(provenance_record(p, known));
}

TEST_CASE("an input that has a record of its own is linked to it") {
    const temporary t;
    put(t.path / "filled.tif", "heights");
    put(t.path / "filled.tif.provenance.json", "{}");
    provenance p;
    p.inputs = {{"filled.tif", t.path / "filled.tif", {}, ""}};
    fingerprints known;
    const auto record = provenance_record(p, known).value();
    const auto& parent = record.at("inputs").at(0).at("provenance");
    CHECK(parent.at("path").as_string() == provenance_path(t.path / "filled.tif").string());
    CHECK(parent.at("sha256").as_string() == base::sha256_hex("{}"));
}

TEST_CASE("a changed file has another fingerprint, even at the same size and modification time") {
    const temporary t;
    const auto file = t.path / "in.tif";
    put(file, "before");
    const auto time = fs::last_write_time(file) - std::chrono::hours{1};
    fs::last_write_time(file, time);
    fingerprints known;
    CHECK(known.sha256(file).value() == base::sha256_hex("before"));
    CHECK(known.sha256(file).value() == base::sha256_hex("before"));
    put(file, "after!");
    fs::last_write_time(file, time);
    CHECK(known.sha256(file).value() == base::sha256_hex("after!"));
}

TEST_CASE("a file that is gone cannot be hashed, and is named") {
    fingerprints known;
    CHECK_THAT(known.sha256("/absent/in.tif").error().message, Catch::Matchers::Contains("/absent/in.tif"));
}
