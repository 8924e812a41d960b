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

constexpr double earth = 510065621724088.0;  // 4π·(authalic radius of WGS 84)², m²

}  // namespace

TEST_CASE("a box around the world is the whole ellipsoid, half of it half") {
    CHECK(area("POLYGON ((-180 -90, 180 -90, 180 90, -180 90, -180 -90))", "EPSG:4326") == Approx(earth).epsilon(1e-9));
    CHECK(area("POLYGON ((-180 0, 180 0, 180 90, -180 90, -180 0))", "EPSG:4326") == Approx(earth / 2).epsilon(1e-9));
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

TEST_CASE("a polygon around the pole is measured by geodesics and agrees with an equal-area map") {
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
