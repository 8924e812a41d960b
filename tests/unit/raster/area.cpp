#include <gdalmcp/gdal_area.hpp>

#include "catch.hpp"

namespace sdk = gdalmcp::gdal;

namespace {

double area(const char* wkt, const char* crs) {
    OGRGeometry* g = nullptr;
    REQUIRE(OGRGeometryFactory::createFromWkt(wkt, nullptr, &g) == OGRERR_NONE);
    const sdk::geometry_ptr shape{g};
    const auto found = sdk::ellipsoidal_area(*shape, *sdk::parse_crs(crs));
    REQUIRE(found);
    return *found;
}

// Its edges split until they are short, the vertices on an equal-area map by PROJ, the area in the plane.
double area_by_proj(const char* wkt, const char* crs, double step, const char* equal_area) {
    OGRGeometry* g = nullptr;
    REQUIRE(OGRGeometryFactory::createFromWkt(wkt, nullptr, &g) == OGRERR_NONE);
    const sdk::geometry_ptr shape{g};
    shape->segmentize(step);
    const auto from = *sdk::parse_crs(crs), to = *sdk::parse_crs(equal_area);
    const sdk::transformation way{OGRCreateCoordinateTransformation(&from, &to)};
    REQUIRE(way);
    REQUIRE(shape->transform(way.get()) == OGRERR_NONE);
    return sdk::detail::extent_measure(*shape);
}

constexpr double earth = 510065621724088.0;  // 4π·(authalic radius of WGS 84)², m²

}  // namespace

TEST_CASE("a box around the world is the whole ellipsoid, half of it half") {
    CHECK(area("POLYGON ((-180 -90, 180 -90, 180 90, -180 90, -180 -90))", "EPSG:4326") == Approx(earth).epsilon(1e-9));
    CHECK(area("POLYGON ((-180 0, 180 0, 180 90, -180 90, -180 0))", "EPSG:4326") == Approx(earth / 2).epsilon(1e-9));
}

TEST_CASE(
    "between the equator and the line where longitude is latitude, an octant of a sphere holds its radius squared") {
    // The integral of sine from 0 to 90 degrees is 1.
    CHECK(area("POLYGON ((0 0, 90 0, 90 90, 0 0))", "+proj=longlat +R=1000 +no_defs") == Approx(1e6).epsilon(1e-10));
    CHECK(area("POLYGON ((0 0, 90 0, 90 -90, 0 0))", "+proj=longlat +R=1000 +no_defs") == Approx(1e6).epsilon(1e-10));
}

TEST_CASE("long edges in degrees are straight in them: as split into pieces of 500 m, on PROJ's equal-area map") {
    const char* cea = "+proj=cea +datum=WGS84";
    for (const char* wkt : {"POLYGON ((-60 -63, 170 -72, 180 -84, 180 -90, -180 -90, -180 -84, -60 -63))",
                            "POLYGON ((-140 60, -60 45, -62 83, -140 60), (-100 60, -90 60, -90 70, -100 60))",
                            "MULTIPOLYGON (((0 0, 8 1, 3 9, 0 0)), ((20 40, 20.1 40, 20.05 40.1, 20 40)))"}) {
        CAPTURE(wkt);
        CHECK(area(wkt, "EPSG:4326") == Approx(area_by_proj(wkt, "EPSG:4326", 0.005, cea)).epsilon(1e-8));
    }
}

TEST_CASE("edges of a map are straight on the map: as split into pieces of 500 m, on PROJ's equal-area map") {
    struct {
        const char *wkt, *crs, *equal_area;
    } const all[] = {{"POLYGON ((200000 6600000, 800000 6650000, 300000 7400000, 200000 6600000))", "EPSG:32633",
                      "+proj=laea +lat_0=63 +lon_0=15 +datum=WGS84"},
                     {"POLYGON ((-2e6 -1e6, 1.5e6 -2e6, 2e6 2e6, -1e6 1e6, -2e6 -1e6))", "EPSG:3031", "EPSG:6932"},
                     {"POLYGON ((1e6 1e6, 2e6 1e6, 2e6 2e6, 1e6 1e6))", "EPSG:3031", "EPSG:6932"},
                     {"POLYGON ((0 0, 1e6 0, 5e5 1.2e6, 0 0))", "EPSG:3031", "EPSG:6932"}};  // a vertex is the pole
    for (const auto& [wkt, crs, equal_area] : all) {
        CAPTURE(crs, wkt);
        CHECK(area(wkt, crs) == Approx(area_by_proj(wkt, crs, 500, equal_area)).epsilon(1e-8));
    }
}

TEST_CASE("areas of parts add up, whatever other vertices the whole has") {
    const double west = area("POLYGON ((0 0, 70 10, 50 60, 0 0))", "EPSG:4326"),
                 east = area("POLYGON ((70 10, 90 70, 50 60, 70 10))", "EPSG:4326"),
                 both = area("POLYGON ((0 0, 70 10, 90 70, 50 60, 0 0))", "EPSG:4326");
    CHECK(west + east == Approx(both).epsilon(1e-13));
}

TEST_CASE("beyond a pole there is no area") {
    OGRGeometry* g = nullptr;
    REQUIRE(OGRGeometryFactory::createFromWkt("POLYGON ((0 0, 10 0, 10 95, 0 0))", nullptr, &g) == OGRERR_NONE);
    const sdk::geometry_ptr shape{g};
    CHECK_FALSE(sdk::ellipsoidal_area(*shape, *sdk::parse_crs("EPSG:4326")));
}

TEST_CASE("Web Mercator does not inflate the area") {
    const char* map = "POLYGON ((0 4500000, 100000 4500000, 100000 4600000, 0 4600000, 0 4500000))";
    const double planar = 1e10;
    CHECK(area(map, "EPSG:3857") ==
          Approx(planar * std::pow(std::cos(37.5 * 3.14159265358979 / 180), 2)).epsilon(0.02));
    CHECK(area("POLYGON ((-20037508.342789 -20037508.342789, 20037508.342789 -20037508.342789, 20037508.342789 "
               "20037508.342789,"
               "-20037508.342789 20037508.342789, -20037508.342789 -20037508.342789))",
               "EPSG:3857") == Approx(earth * 0.99627).epsilon(1e-3));  // sine of 85.06° of latitude
}

TEST_CASE("a polygon around the pole has the area that it has on an equal-area map") {
    const char* square =
        "POLYGON ((-1000000 -1000000, 1000000 -1000000, 1000000 1000000, -1000000 1000000, -1000000 -1000000))";
    CHECK(area(square, "EPSG:3408") == Approx(4e12).epsilon(0.01));  // NSIDC EASE-Grid North, equal area on a sphere
    CHECK(area(square, "EPSG:6931") == Approx(4e12).epsilon(1e-6));  // EASE-Grid 2.0, equal area on WGS 84
}

TEST_CASE("holes are subtracted, parts are added") {
    const double outer = area("POLYGON ((0 0, 3 0, 3 3, 0 3, 0 0))", "EPSG:4326");
    const double hole = area("POLYGON ((1 1, 2 1, 2 2, 1 2, 1 1))", "EPSG:4326");
    CHECK(area("POLYGON ((0 0, 3 0, 3 3, 0 3, 0 0), (1 1, 2 1, 2 2, 1 2, 1 1))", "EPSG:4326") == Approx(outer - hole));
    CHECK(area("MULTIPOLYGON (((0 0, 3 0, 3 3, 0 3, 0 0)), ((11 1, 12 1, 12 2, 11 2, 11 1)))", "EPSG:4326") ==
          Approx(outer + hole));
}

TEST_CASE("feet are not metres: a square of 1000 US survey feet") {
    const double side = 1000 * 1200.0 / 3937;
    CHECK(area("POLYGON ((2000000 500000, 2001000 500000, 2001000 501000, 2000000 501000, 2000000 500000))",
               "EPSG:2264") == Approx(side * side).epsilon(3e-4));
}

TEST_CASE("grads are not degrees: a square of 10 km on an old French map") {
    CHECK(area("POLYGON ((600000 2200000, 610000 2200000, 610000 2210000, 600000 2210000, 600000 2200000))",
               "EPSG:27572") == Approx(100024438.6).epsilon(1e-6));  // PROJ's geodesics along densified edges
    CHECK(area("POLYGON ((0 54, 1 54, 1 55, 0 55, 0 54))", "EPSG:4807") == Approx(6585025114).epsilon(1e-5));
}

TEST_CASE("a triangle is half a square") {
    const double square = area("POLYGON ((0 0, 1 0, 1 1, 0 1, 0 0))", "EPSG:32633");
    CHECK(area("TRIANGLE ((0 0, 1 0, 0 1, 0 0))", "EPSG:32633") == Approx(square / 2).epsilon(1e-6));
}

TEST_CASE("without a CRS there is no true area") {
    const OGRPoint p{0, 0};
    CHECK_FALSE(sdk::ellipsoidal_area(p, OGRSpatialReference{}));
}
