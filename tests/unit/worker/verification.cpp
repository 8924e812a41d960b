#include "worker/verification.hpp"

#include <gdalmcp/gdal_crs.hpp>

#include "catch.hpp"

#include "../vector/layers.hpp"

using namespace gdalmcp;
namespace sdk = gdalmcp::gdal;
using Catch::Matchers::ContainsSubstring;

namespace {

// A file with one point, verified as the host does.
base::result<base::json::object> verified(const char* driver, const char* file, const char* crs, double x, double y,
                                          base::json::object expect) {
    GDALAllRegister();
    const temporary_folder folder;
    const auto path = folder / file;
    {
        const sdk::dataset_ptr made{
            GetGDALDriverManager()->GetDriverByName(driver)->Create(path.c_str(), 0, 0, 0, GDT_Unknown, nullptr)};
        auto srs = sdk::parse_crs(crs);
        auto* layer = made->CreateLayer("a", srs ? &*srs : nullptr, wkbPoint, nullptr);
        const OGRFeatureUniquePtr f{OGRFeature::CreateFeature(layer->GetLayerDefn())};
        const OGRPoint point{x, y};
        f->SetGeometry(&point);
        REQUIRE(layer->CreateFeature(f.get()) == OGRERR_NONE);
    }
    runner::request r;
    r.path = path;
    r.role = "output-vector";
    r.expect = std::move(expect);
    r.roots = {std::filesystem::canonical(std::filesystem::path{path}.parent_path())};
    return worker::verify_output(r);
}

constexpr const char* shifted =
    "+proj=tmerc +lat_0=0 +lon_0=15 +k=1 +x_0=500000 +y_0=0 +ellps=bessel +towgs84=598,73,418,0,0,0,0 +units=m";

}  // namespace

TEST_CASE("a layer without a CRS stays one, whatever its coordinates and GeoPackage's placeholder are") {
    const auto report = verified("GPKG", "a.gpkg", "none", 5028490, 424675, {{"crs", ""}, {"features", 1}});
    REQUIRE(report);
    CHECK(report->at("crs").as_string().empty());
}

TEST_CASE("a missing CRS is refused with the requested and the stored one and the next step") {
    const auto report = verified("GPKG", "a.gpkg", "none", 5e5, 5e6, {{"crs", "EPSG:32633"}});
    REQUIRE_FALSE(report);
    CHECK_THAT(report.error().message, ContainsSubstring("its CRS is none, requested was EPSG:32633"));
    CHECK_FALSE(report.error().hint.empty());
}

TEST_CASE("a definition that a Shapefile spells differently passes") {
    const char* unnamed = "+proj=tmerc +lat_0=0 +lon_0=15 +k=1 +x_0=500000 +y_0=0 +ellps=krass +units=m";
    const auto report = verified("ESRI Shapefile", "a.shp", unnamed, 5e5, 5e6, {{"crs", unnamed}});
    REQUIRE(report);
    CHECK(report->at("warnings").as_array().empty());
}

TEST_CASE("a datum shift that a Shapefile drops is warned of, and both are told apart") {
    const auto report = verified("ESRI Shapefile", "a.shp", shifted, 5e5, 5e6, {{"crs", shifted}});
    REQUIRE(report);
    REQUIRE(report->at("warnings").as_array().size() == 1);
    CHECK_THAT(std::string{report->at("warnings").at(0).as_string()},
               ContainsSubstring("598 73 418") && ContainsSubstring("stored is"));
    CHECK(verified("GPKG", "a.gpkg", shifted, 5e5, 5e6, {{"crs", shifted}})->at("warnings").as_array().empty());
}

TEST_CASE("metres in a CRS of degrees are refused with a hint") {
    const auto report = verified("GPKG", "a.gpkg", "EPSG:4326", 5e5, 5e6, {{"crs", "EPSG:4326"}});
    REQUIRE_FALSE(report);
    CHECK_THAT(report.error().message, ContainsSubstring("does not fit degrees") && ContainsSubstring("EPSG:4326"));
    CHECK_THAT(report.error().hint, ContainsSubstring("vector_reproject and src_crs") && !ContainsSubstring("raster"));
}
