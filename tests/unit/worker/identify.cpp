#include "worker/identify.hpp"

#include <gdalmcp/gdal_crs.hpp>

#include "catch.hpp"
#include "worker/probe.hpp"

#include "../raster/rasters.hpp"

using namespace gdalmcp;
namespace sdk = gdalmcp::gdal;
namespace json = base::json;

namespace {

json::object seen(const std::string& path) {
    return worker::identify({path}, std::chrono::seconds{10}).at(0).as_object();
}

// Layers of points in a new database: name -> CRS, "" for none.
void layers(const std::string& path, const std::vector<std::pair<const char*, const char*>>& all) {
    GDALAllRegister();
    auto* driver = GetGDALDriverManager()->GetDriverByName("SQLite");
    const sdk::dataset_ptr d{driver->Create(path.c_str(), 0, 0, 0, GDT_Unknown, nullptr)};
    for (const auto& [name, crs] : all) {
        const auto srs = sdk::parse_crs(crs);
        REQUIRE(d->CreateLayer(name, srs ? const_cast<OGRSpatialReference*>(&*srs) : nullptr, wkbPoint, nullptr));
    }
    REQUIRE(d->CreateLayer("a table", nullptr, wkbNone, nullptr));
}

// A GeoPackage of rasters only: none of them is the file's own.
void two_rasters(const std::string& path) {
    GDALAllRegister();
    auto* driver = GetGDALDriverManager()->GetDriverByName("GPKG");
    const auto source = rasters::make({rasters::matrix{{1, 2}, {3, 4}}}, {.type = GDT_Byte});
    for (const char* table : {"RASTER_TABLE=a", "RASTER_TABLE=b"}) {
        sdk::words options{"APPEND_SUBDATASET=YES", table};
        const sdk::dataset_ptr d{
            driver->CreateCopy(path.c_str(), source.get(), FALSE, options.get(), nullptr, nullptr)};
        REQUIRE(d);
    }
}

}  // namespace

TEST_CASE("identify returns the CRS of every layer, each once") {
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

TEST_CASE("a file whose rasters are subdatasets is a raster, also with layers beside them") {
    const rasters::folder f;
    two_rasters(f / "a.gpkg");
    CHECK(seen(f / "a.gpkg").at("kind") == "raster");
    CHECK(worker::probe({"/uri", f / "a.gpkg", f / "a.gpkg", "input-any"}).value().at("kind_of_dataset") == "raster");
    {
        const sdk::dataset_ptr d{GDALDataset::Open((f / "a.gpkg").c_str(), GDAL_OF_VECTOR | GDAL_OF_UPDATE)};
        REQUIRE(d->CreateLayer("points", nullptr, wkbPoint, nullptr));
    }
    CHECK(seen(f / "a.gpkg").at("kind") == "both");
    CHECK(worker::probe({"/uri", f / "a.gpkg", f / "a.gpkg", "input-any"}).value().at("kind_of_dataset") == "vector");
}
