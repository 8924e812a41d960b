#include "worker/crs.hpp"

#include <gdalmcp/gdal_crs.hpp>

#include "catch.hpp"

using namespace gdalmcp;

namespace {
base::json::object described(const std::string& spelling) { return worker::describe_spelling(spelling).value(); }

// A CRS as a GeoTIFF gives it back.
OGRSpatialReference from_geotiff(const std::string& spelling) {
    GDALRegister_GTiff();
    const std::string file = "/vsimem/one_cell.tif";
    auto* driver = GetGDALDriverManager()->GetDriverByName("GTiff");
    const gdalmcp::gdal::dataset_ptr written{driver->Create(file.c_str(), 1, 1, 1, GDT_Byte, nullptr)};
    const auto crs = gdalmcp::gdal::parse_crs(spelling);
    REQUIRE(written->SetSpatialRef(&*crs) == CE_None);
    written->FlushCache(true);
    const auto read = gdalmcp::gdal::open_dataset(file, GDAL_OF_RASTER);
    return *read->GetSpatialRef();
}
}  // namespace

TEST_CASE("a spelling is described with its unit in metres") {
    CHECK(described("EPSG:32633").at("unit_m").to_number<double>() == 1);
    CHECK(described("EPSG:4326").at("unit_m").to_number<double>() == 0);
    // US survey foot: 1200/3937 m.
    CHECK(described("EPSG:2264").at("unit_m").to_number<double>() == Approx(1200.0 / 3937));
}

TEST_CASE("a spelling is described with its area of use from the registry") {
    // EPSG area of use 2084, UTM zone 33N: between 12°E and 18°E, northern hemisphere between equator and 84°N.
    const base::json::value zone(base::json::array{12.0, 0.0, 18.0, 84.0});
    CHECK(base::canonical_json(described("epsg:32633").at("area_of_use")) == base::canonical_json(zone));
    CHECK_FALSE(described("+proj=lcc +lat_1=33 +lat_2=45 +lat_0=39 +lon_0=-96 +datum=WGS84").contains("area_of_use"));
}

TEST_CASE("a height axis is named") {
    CHECK(described("EPSG:32633").at("vertical") == "");
    CHECK(described("EPSG:7415").at("vertical") == "NAP height");
    CHECK(described("EPSG:4979").at("vertical") == "ellipsoidal height");
}

TEST_CASE("a CRS bound to a grid of its own is not the one without, nor that of another grid") {
    const auto normal = [](const char* grid) {
        return std::string{
            described(std::string{"+proj=longlat +ellps=WGS84 +nadgrids="} + grid).at("normal").as_string()};
    };
    CHECK(normal("a.gsb").rfind("projjson-sha256:", 0) == 0);
    CHECK(normal("a.gsb") != normal("b.gsb"));
}

TEST_CASE("a CRS unknown to PROJ is refused by name") {
    const auto r = worker::describe_spelling("EPSG:0");
    REQUIRE_FALSE(r);
    CHECK(r.error().message.find("EPSG:0") != std::string::npos);
}

TEST_CASE("a code is read whole or not at all") {
    for (const char* wrong : {"EPSG:32617;5773 typo", "EPSG:32633foo", "EPSG:32633.9", "EPSG:4326 3857",
                              "EPSG:3857-4326", "EPSG:5070;EPSG:5703", "EPSG:+32617", "EPSG:32617+",
                              "EPSG:32617+5773 typo", "EPSG:32617+EPSG:5773foo", "EPSGA:4326foo", "EPSG:4326@2018.5"}) {
        INFO(wrong);
        const auto r = worker::describe_spelling(wrong);
        REQUIRE_FALSE(r);
        CHECK(r.error().code == std::string{base::code::invalid_argument});
        CHECK(r.error().message.find(wrong) != std::string::npos);
    }
}

TEST_CASE("a compound CRS keeps its heights in any spelling") {
    for (const char* spelling : {"EPSG:32617+5773", "epsg:32617+epsg:5773", " EPSG:32617+EPSG:5773\n",
                                 "urn:ogc:def:crs,crs:EPSG::32617,crs:EPSG::5773"}) {
        INFO(spelling);
        CHECK(described(spelling).at("vertical") == "EGM96 height");
        CHECK(described(spelling).at("normal") == described("EPSG:32617+5773").at("normal"));
    }
}

TEST_CASE("a compound CRS of registered parts has one normal form, given by codes or read from a GeoTIFF") {
    for (const char* spelling : {"EPSG:32632+5773", "EPSG:26916+6360", "EPSG:4326+5703"}) {
        INFO(spelling);
        const auto normal = described(spelling).at("normal");
        CHECK(base::json::value(worker::normal_form(from_geotiff(spelling))) == normal);
        CHECK(normal.as_string().starts_with("projjson-sha256:"));
    }
    CHECK(described("EPSG:26916+6360").at("normal") != described("EPSG:26916+5703").at("normal"));
}

TEST_CASE("an authority may have versions; heights must be from EPSG, because GDAL drops others") {
    CHECK(described("IAU:2015:30100").at("normal") == described("IAU_2015:30100").at("normal"));
    CHECK(described("EPSG:2056+5728").at("vertical") == "LN02 height");
    for (const char* wrong :
         {"IAU:2015:30100:1", "IAU:2015:", "EPSG:2056+ESRI:115851", "ESRI:54004+EPSG:5773", "EPSG:2056+:5728"})
        CHECK_FALSE(worker::describe_spelling(wrong));
}

TEST_CASE("a CRS is identified by its name in the registry") {
    CHECK(described("WGS 84").at("code") == "EPSG:4326");
    CHECK(described("nad83 / utm zone 17n").at("code") == "EPSG:26917");
    CHECK(described("PZ-90.11").at("code") == "EPSG:9475");  // not ESRI's of that name
    CHECK(described("World_Mercator").at("code") == "ESRI:54004");
    CHECK(described("OGC:CRS84").at("code") == "OGC:CRS84");
    CHECK(described("iau_2015:49900").at("code") == "IAU_2015:49900");
    CHECK_FALSE(worker::describe_spelling("WGS 84 / UTM zone"));
    CHECK_FALSE(worker::describe_spelling("Popular Visualisation CRS / Mercator"));  // deprecated
}
