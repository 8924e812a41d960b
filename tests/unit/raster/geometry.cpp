#include <gdalmcp/gdal_geometry.hpp>

#include "catch.hpp"
#include "rasters.hpp"

namespace gdal = gdalmcp::gdal;
using gdal::place_geometry;

namespace {

gdal::frame frame(const char* crs, double minx, double miny, double maxx, double maxy) {
    gdal::frame f;
    if (*crs) f.crs = *gdal::parse_crs(crs);
    f.extent.Merge(minx, miny);
    f.extent.Merge(maxx, maxy);
    return f;
}

const auto utm = [] { return frame("EPSG:32633", 500000, 4000000, 600000, 4100000); };
const auto world = [] { return frame("EPSG:4326", -180, -90, 180, 90); };

gdalmcp::geometry box(double minx, double miny, double maxx, double maxy) {
    gdalmcp::geometry g;
    g.bbox = {minx, miny, maxx, maxy};
    return g;
}

gdalmcp::geometry geojson(std::string text) {
    gdalmcp::geometry g;
    g.geojson = std::move(text);
    return g;
}

gdalmcp::geometry square(const std::string& extra = "") {
    return geojson(R"({"type":"Polygon",)" + extra +
                   R"("coordinates":[[[15.1,36.2],[15.9,36.2],[15.9,36.9],[15.1,36.9],[15.1,36.2]]]})");
}

std::string extent(const gdal::placed_geometry& p) {
    OGREnvelope b;
    p.shape->getEnvelope(&b);
    return gdal::box_text(b);
}

const std::optional<gdalmcp::crs> none;

}  // namespace

TEST_CASE("a box is in the dataset's CRS by default") {
    const auto p = place_geometry(box(500000, 4000000, 510000, 4010000), none, utm());
    CHECK(extent(p) == "[500000,4000000,510000,4010000]");
    CHECK(gdal::crs_text(p.given_crs) == "EPSG:32633");
}

TEST_CASE("GeoJSON is in OGC:CRS84 by default and is brought to the dataset's CRS") {
    const auto p = place_geometry(square(), none, utm());
    CHECK(gdal::crs_text(p.given_crs) == "OGC:CRS84");
    OGREnvelope b;
    p.shape->getEnvelope(&b);
    // cs2cs: 15.1 36.2 and 15.9 36.9 in UTM 33N
    CHECK(b.MinX == Approx(508909).margin(100));
    CHECK(b.MaxY == Approx(4084000).margin(1000));
}

TEST_CASE("edges straight in degrees are bent on the map: a parallel is furthest south at the central meridian") {
    const auto p =
        place_geometry(geojson(R"({"type":"Polygon","coordinates":[[[5,60],[25,60],[25,61],[5,61],[5,60]]]})"), none,
                       frame("EPSG:32633", -100000, 6500000, 1100000, 7000000));
    OGREnvelope b;
    p.shape->getEnvelope(&b);
    const auto south_middle = place_geometry(geojson(R"({"type":"Point","coordinates":[15,60]})"), none, utm());
    OGREnvelope m;
    south_middle.shape->getEnvelope(&m);
    CHECK(b.MinY == Approx(m.MinY).margin(0.01));
}

TEST_CASE("a Feature is unwrapped, z is dropped, a FeatureCollection is refused") {
    const auto p = place_geometry(
        geojson(R"({"type":"Feature","properties":{},"geometry":{"type":"Point","coordinates":[15,36,7]}})"), none,
        world());
    CHECK(p.shape->getGeometryType() == wkbPoint);
    CHECK(rasters::refusal([] {
              place_geometry(geojson(R"({"type":"FeatureCollection","features":[]})"), none, world());
          }).message.find("FeatureCollection") != std::string::npos);
}

TEST_CASE("a legacy crs member is honoured and said; one that contradicts geometry_crs is refused") {
    const std::string member = R"("crs":{"type":"name","properties":{"name":"urn:ogc:def:crs:EPSG::4258"}},)";
    const auto p = place_geometry(square(member), none, utm());
    CHECK(gdal::crs_text(p.given_crs) == "EPSG:4258");
    REQUIRE(p.said.size() == 1);
    CHECK(p.said[0].find("EPSG::4258") != std::string::npos);
    CHECK(rasters::refusal([&] {
              place_geometry(square(member), gdalmcp::crs{"EPSG:4326"}, utm());
          }).message.find("4258") != std::string::npos);
}

TEST_CASE("a box in degrees on a projected dataset is refused with the corrected call") {
    const auto e = rasters::refusal([] { place_geometry(box(15, 36, 16, 37), none, utm()); });
    CHECK(e.status == GDALMCP_INVALID_ARGUMENT);
    CHECK(e.hint.find(R"("geometry": [15,36,16,37], "geometry_crs": "OGC:CRS84")") != std::string::npos);
    CHECK_NOTHROW(place_geometry(box(15, 36.2, 16, 36.9), gdalmcp::crs{"OGC:CRS84"}, utm()));
}

TEST_CASE("a dataset whose own coordinates are small takes small boxes") {
    CHECK(extent(place_geometry(box(1, 1, 2, 2), none, frame("EPSG:32633", 0, 0, 40, 30))) == "[1,1,2,2]");
}

TEST_CASE("GeoJSON outside longitude and latitude is refused with the corrected call") {
    const auto e = rasters::refusal(
        [] { place_geometry(geojson(R"({"type":"Point","coordinates":[500000,4000000]})"), none, utm()); });
    CHECK(e.hint.find(R"("geometry_crs": "EPSG:32633")") != std::string::npos);
}

TEST_CASE("swapped axes that leave the latitudes are refused") {
    CHECK(rasters::refusal([] {
              place_geometry(box(36, 150, 37, 160), gdalmcp::crs{"EPSG:4326"}, utm());
          }).hint.find("longitude before latitude") != std::string::npos);
}

TEST_CASE("minx > maxx crosses the antimeridian in a geographic CRS and is an error elsewhere") {
    const auto p = place_geometry(box(170, -20, -170, -10), none, world());
    CHECK(wkbFlatten(p.shape->getGeometryType()) == wkbMultiPolygon);
    CHECK(*gdal::ellipsoidal_area(*p.shape, world().crs) ==
          Approx(*gdal::ellipsoidal_area(*place_geometry(box(0, -20, 20, -10), none, world()).shape, world().crs)));
    CHECK(rasters::refusal([] {
              place_geometry(box(510000, 4000000, 500000, 4010000), none, utm());
          }).hint.find("[500000,4000000,510000,4010000]") != std::string::npos);
}

TEST_CASE("over the antimeridian onto a UTM zone the two halves are one piece again") {
    const auto p = place_geometry(box(178, -20, -178, -10), gdalmcp::crs{"OGC:CRS84"},
                                  frame("EPSG:32760", 300000, 7000000, 1100000, 9000000));
    CHECK(wkbFlatten(p.shape->getGeometryType()) == wkbPolygon);
}

TEST_CASE("a grid of 0 to 360 degrees finds western longitudes") {
    const auto p = place_geometry(box(-20, 0, -10, 10), none, frame("EPSG:4326", 0, -90, 360, 90));
    CHECK(extent(p) == "[340,0,350,10]");
}

TEST_CASE("a bow-tie is refused with GEOS' reason and place") {
    const auto e = rasters::refusal([] {
        place_geometry(geojson(R"({"type":"Polygon","coordinates":[[[0,0],[1,1],[1,0],[0,1],[0,0]]]})"), none, world());
    });
    CHECK(e.message.find("Self-intersection at or near point 0.5 0.5") != std::string::npos);
    CHECK(CPLGetLastErrorType() != CE_Failure);
}

TEST_CASE("empty, unclosed and unknown geometries are refused") {
    const auto message = [](const char* text) {
        return rasters::refusal([&] { place_geometry(geojson(text), none, world()); }).message;
    };
    CHECK(message(R"({"type":"Polygon","coordinates":[]})").find("empty") != std::string::npos);
    CHECK(message(R"({"type":"Polygon","coordinates":[[[0,0],[1,1],[1,0]]]})").find("closed") != std::string::npos);
    CHECK(message(R"({"type":"Feature","geometry":null})").find("without a geometry") != std::string::npos);
    CHECK(message(R"({"type":"Oval"})").find("Oval") != std::string::npos);
    CHECK(message("{").find("not JSON") != std::string::npos);
    CHECK(rasters::refusal([] { place_geometry(box(1, 1, 1, 2), none, world()); }).message.find("no area") !=
          std::string::npos);
}

TEST_CASE("without a CRS only boxes in the dataset's own coordinates can be placed") {
    CHECK(extent(place_geometry(box(0, 0, 10, 10), none, frame("", 0, 0, 20, 20))) == "[0,0,10,10]");
    CHECK_THROWS_AS(place_geometry(square(), none, frame("", 0, 0, 20, 20)), gdalmcp::error);
    CHECK_THROWS_AS(place_geometry(box(0, 0, 10, 10), gdalmcp::crs{"EPSG:4326"}, frame("", 0, 0, 20, 20)),
                    gdalmcp::error);
}

TEST_CASE("a box around the world on a UTM dataset is cut to the dataset first, and that is said") {
    const auto p = place_geometry(box(-180, -90, 180, 90), gdalmcp::crs{"OGC:CRS84"}, utm());
    REQUIRE(p.warnings.size() == 1);
    CHECK(p.warnings[0].find("cut") != std::string::npos);
    OGREnvelope b;
    p.shape->getEnvelope(&b);
    CHECK(b.Contains(utm().extent));
}

TEST_CASE("placing without a known datum shift is warned of") {
    const auto p = place_geometry(box(-81, 35, -80, 36), gdalmcp::crs{"+proj=longlat +ellps=bessel"}, world());
    REQUIRE(p.warnings.size() == 1);
    CHECK(p.warnings[0].find("datum shift") != std::string::npos);
}

TEST_CASE("an extent is told in its own CRS and in WGS 84") {
    const auto f = utm();
    const auto b = gdal::wgs84_bounds(f.extent, f.crs);
    REQUIRE(b);
    CHECK((*b)[0] == Approx(15));  // the central meridian of zone 33
    CHECK(gdal::extent_text(f.extent, f.crs).find("[500000,4000000,600000,4100000] in EPSG:32633, [15,") == 0);
    CHECK_FALSE(gdal::wgs84_bounds(f.extent, OGRSpatialReference{}));
}
