#include "worker/formats.hpp"

#include <gdal_priv.h>

#include <algorithm>
#include <fstream>

#include "catch.hpp"
#include "worker/identify.hpp"

using namespace gdalmcp;
namespace json = base::json;
namespace fs = std::filesystem;

namespace {
const json::value& member(const json::array& all, const char* key, const char* name) {
    const auto found = std::find_if(all.begin(), all.end(), [&](const json::value& v) { return v.at(key) == name; });
    REQUIRE(found != all.end());
    return *found;
}

struct folder {
    fs::path path = fs::temp_directory_path() / ("look-" + std::to_string(::getpid()));
    folder() { fs::create_directories(path); }
    ~folder() { fs::remove_all(path); }
};
}  // namespace

TEST_CASE("a driver tells its extensions, abilities and options") {
    GDALAllRegister();
    const auto all = worker::drivers();
    const auto& tiff = member(all, "name", "GTiff");
    CHECK(tiff.at("extensions") == json::value{"tif", "tiff"});
    CHECK(tiff.at("raster") == true);
    CHECK(tiff.at("vector") == false);
    CHECK(tiff.at("create") == true);
    const auto& values = member(tiff.at("creation_options").as_array(), "name", "COMPRESS").at("values").as_array();
    CHECK(std::find(values.begin(), values.end(), json::value("DEFLATE")) != values.end());
    CHECK(member(all, "name", "GPKG").at("vector") == true);
}

TEST_CASE("resampling methods are those that GDAL takes") {
    GDALAllRegister();
    const auto all = worker::resampling_methods();
    CHECK(member(all, "method", "bilinear").at("warp") == true);
    CHECK(member(all, "method", "gauss").at("warp") == false);  // of overviews only
    CHECK(member(all, "method", "gauss").at("overviews") == true);
    CHECK(member(all, "method", "q1").at("warp") == true);
    CHECK(member(all, "method", "q1").at("overviews") == false);
}

TEST_CASE("identify distinguishes datasets from other files, and their kinds") {
    GDALAllRegister();
    const folder f;
    std::ofstream{f.path / "a.asc"} << "ncols 2\nnrows 1\nxllcorner 0\nyllcorner 0\ncellsize 1\n1 2\n";
    std::ofstream{f.path / "b.geojson"}
        << R"({"type": "FeatureCollection", "features": [{"type": "Feature", "properties": {},
               "geometry": {"type": "Point", "coordinates": [1, 2]}}]})";
    std::ofstream{f.path / "c.tif"} << "not a raster";
    const auto seen =
        worker::identify({f.path / "a.asc", f.path / "b.geojson", f.path / "c.tif"}, std::chrono::seconds{60});
    REQUIRE(seen.size() == 3);
    CHECK(seen[0].at("kind") == "raster");
    CHECK(seen[0].at("driver") == "AAIGrid");
    CHECK(seen[0].at("crs") == "");
    CHECK(seen[1].at("kind") == "vector");
    CHECK(seen[1].at("crs") == "EPSG:4326");
    CHECK(seen[2].at("driver") == "");
}

TEST_CASE("identify without time reads nothing") {
    CHECK(worker::identify({"/nonexistent"}, std::chrono::milliseconds{-1}).empty());
}
