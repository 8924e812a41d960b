#include "worker/look.hpp"

#include <gdalmcp/gdal_crs.hpp>

#include "catch.hpp"

#include "../raster/rasters.hpp"

using namespace gdalmcp;
namespace json = base::json;

namespace {

json::object seen(const std::string& path) {
    return worker::look_at({path}, std::chrono::seconds{10}).at(0).as_object();
}

// Layers of points in a new database: name -> CRS, "" for none.
void layers(const std::string& path, const std::vector<std::pair<const char*, const char*>>& all) {
    GDALAllRegister();
    auto* driver = GetGDALDriverManager()->GetDriverByName("SQLite");
    const gdal::dataset_ptr d{driver->Create(path.c_str(), 0, 0, 0, GDT_Unknown, nullptr)};
    for (const auto& [name, crs] : all) {
        const auto srs = gdal::parse_crs(crs);
        REQUIRE(d->CreateLayer(name, srs ? const_cast<OGRSpatialReference*>(&*srs) : nullptr, wkbPoint, nullptr));
    }
    REQUIRE(d->CreateLayer("a table", nullptr, wkbNone, nullptr));
}

}  // namespace

TEST_CASE("a file is seen in the CRS of every layer, each once") {
    const rasters::folder f;
    layers(f / "a.sqlite", {{"none", ""}, {"utm", "EPSG:32633"}, {"again", "EPSG:32633"}, {"degrees", "EPSG:4326"}});
    const auto a = seen(f / "a.sqlite");
    CHECK(a.at("kind") == "vector");
    CHECK(a.at("crs") == "EPSG:32633");
    CHECK(a.at("crs_name") == "WGS 84 / UTM zone 33N");
    CHECK(a.at("other_crs") == json::value(json::array{"EPSG:4326", ""}));
    layers(f / "b.sqlite", {{"utm", "EPSG:32633"}});
    CHECK(seen(f / "b.sqlite").at("other_crs").as_array().empty());
}
