#include "vector/ogr_ground.hpp"

#include <cmath>

#include "layers.hpp"

using namespace gdalmcp_vector;

namespace {

ground on(const char* crs) { return ground{*gdalmcp::gdal::parse_crs(crs)}; }

// WGS 84: half of the whole surface, m² (NIMA TR8350.2: 5.10065621724e14 m²), a quarter of a meridian, and the equator.
constexpr double half_of_the_earth = 5.10065621724e14 / 2, quarter_meridian = 10001965.7293, equator = 40075016.6856;

std::string refusal(const ground& g, const char* shape) {
    try {
        g.measure(*wkt(shape));
    } catch (const unusable& e) {
        return e.why;
    }
    return {};
}

}  // namespace

TEST_CASE("a quarter of a meridian and the equator have their known lengths") {
    const auto earth = on("EPSG:4326");
    CHECK(earth.measure(*wkt("LINESTRING (7 0, 7 90)")).length == Approx(quarter_meridian).epsilon(1e-9));
    CHECK(earth.measure(*wkt("LINESTRING (-180 0, 180 0)")).length == Approx(equator).epsilon(1e-7));
    CHECK_FALSE(earth.measure(*wkt("LINESTRING (7 0, 7 90)")).area);
}

TEST_CASE("the northern half of the world is half of it, in degrees and around the pole on a polar map") {
    const auto half = on("EPSG:4326").measure(*wkt("POLYGON ((-180 0, 180 0, 180 90, -180 90, -180 0))"));
    CHECK(half.area == Approx(half_of_the_earth).epsilon(1e-9));
    // The circle of latitude 60 on a polar stereographic map, as a square whose corners lie on it, holds the pole.
    const auto polar = on("EPSG:3995").measure(*wkt("POLYGON ((-2e6 -2e6, 2e6 -2e6, 2e6 2e6, -2e6 2e6, -2e6 -2e6))"));
    REQUIRE(polar.area);
    CHECK(*polar.area > 0.9 * 16e12);
    CHECK(*polar.area < 1.2 * 16e12);
}

TEST_CASE("a hole is no part of the area, and its ring is part of the perimeter") {
    const auto earth = on("EPSG:32633");
    const auto whole = earth.measure(*wkt("POLYGON ((500000 0, 500400 0, 500400 400, 500000 400, 500000 0))"));
    const auto holed =
        earth.measure(*wkt("POLYGON ((500000 0, 500400 0, 500400 400, 500000 400, 500000 0),"
                           "(500100 100, 500100 200, 500200 200, 500200 100, 500100 100))"));
    const double k = 0.9996;  // of UTM at its central meridian
    CHECK(whole.area == Approx(160000 / (k * k)).epsilon(1e-6));
    CHECK(holed.area == Approx(150000 / (k * k)).epsilon(1e-6));
    CHECK(whole.perimeter == Approx(1600 / k).epsilon(1e-6));
    CHECK(holed.perimeter == Approx(2000 / k).epsilon(1e-6));
}

TEST_CASE("the area of a triangle of 12 km at a zone's edge is that of its edges in steps of 10 m") {
    const auto earth = on("EPSG:32633");
    const auto few = wkt("POLYGON ((200000 6700000, 212000 6701000, 203000 6712000, 200000 6700000))");
    std::unique_ptr<OGRGeometry> many{few->clone()};
    many->segmentize(10);
    const double exact = earth.area(*many);
    CHECK(earth.area(*few) == Approx(exact).epsilon(1e-8));
}

TEST_CASE("Web Mercator and feet measure the same ground as metres do") {
    const auto earth = on("EPSG:3857");
    // At 60 degrees the map is twice the ground: cos 60 = 1/2, but for the flattening.
    const double y = 8399737.8898;
    const auto line = "LINESTRING (0 " + std::to_string(y) + ", 1000 " + std::to_string(y) + ")";
    CHECK(earth.measure(*wkt(line.c_str())).length == Approx(501.26).epsilon(1e-3));
    const double foot = 1200.0 / 3937;
    const auto feet = on("EPSG:2263").measure(*wkt("LINESTRING (1000000 200000, 1001000 200000)"));
    CHECK(feet.length == Approx(1000 * foot).epsilon(1e-4));
}

TEST_CASE("an edge of more than half a turn is refused, one of a whole turn is not") {
    const auto earth = on("EPSG:4326");
    CHECK(refusal(earth, "LINESTRING (179 10, -179 10)").find("antimeridian") != std::string::npos);
    CHECK(refusal(earth, "POLYGON ((179 0, -179 0, -179 1, 179 1, 179 0))").find("cut it at ±180") !=
          std::string::npos);
    CHECK(refusal(earth, "POLYGON ((-180 -90, 180 -90, 180 90, -180 90, -180 -90))").empty());
    CHECK(refusal(earth, "LINESTRING (179 10, 181 10)").empty());  // written past 180, and clear
    CHECK_FALSE(refusal(earth, "LINESTRING (0 10, 0 95)").empty());
}

TEST_CASE("the centroid of a wide box lies on its axis of symmetry, its edges followed along parallels") {
    const auto earth = on("EPSG:4326");
    const auto middle = earth.centroid(*wkt("POLYGON ((0 40, 10 40, 10 50, 0 50, 0 40))"));
    CHECK(middle.getX() == Approx(5).margin(1e-3));
    // On a sphere: the direction of the mean of all its places in space.
    const double degree = 3.14159265358979 / 180, a = 40 * degree, b = 50 * degree, half = 5 * degree;
    const double up = (std::pow(std::sin(b), 2) - std::pow(std::sin(a), 2)) / 2;
    const double out = ((b - a) / 2 + (std::sin(2 * b) - std::sin(2 * a)) / 4) * std::sin(half) / half;
    CHECK(middle.getY() == Approx(std::atan2(up, out) / degree).margin(0.005));
}

TEST_CASE("the centroid of islands on both sides of the antimeridian lies between them") {
    const auto earth = on("EPSG:4326");
    const auto middle =
        earth.centroid(*wkt("MULTIPOLYGON (((178 -17, 179 -17, 179 -16, 178 -16, 178 -17)),"
                            "((-179 -17, -178 -17, -178 -16, -179 -16, -179 -17)))"));
    CHECK(std::abs(middle.getX()) == Approx(180).margin(1e-6));
    CHECK(middle.getY() == Approx(-16.5).margin(0.01));
}

TEST_CASE("the cut at the antimeridian is no part of a perimeter") {
    const auto earth = on("EPSG:4326");
    const auto perimeter = [&](const char* text) { return *earth.measure(*wkt(text)).perimeter; };
    const double whole = perimeter("POLYGON ((170 -20, 190 -20, 190 -10, 170 -10, 170 -20))");
    CHECK(perimeter("MULTIPOLYGON (((170 -20, 180 -20, 180 -10, 170 -10, 170 -20)),"
                    "((-180 -20, -170 -20, -170 -10, -180 -10, -180 -20)))") == Approx(whole).epsilon(1e-9));
    // Cut with a vertex on one side alone, and where one side reaches 5 degrees farther, which is no cut.
    CHECK(perimeter("MULTIPOLYGON (((170 -20, 180 -20, 180 -14, 180 -10, 170 -10, 170 -20)),"
                    "((-180 -20, -170 -20, -170 -10, -180 -10, -180 -20)))") == Approx(whole).epsilon(1e-9));
    const double north = perimeter("POLYGON ((170 -10, 180 -10, 180 -5, 170 -5, 170 -10))");
    const double inside = *earth.measure(*wkt("LINESTRING (170 -10, 180 -10)")).length;
    CHECK(perimeter("MULTIPOLYGON (((170 -20, 180 -20, 180 -5, 170 -5, 170 -20)),"
                    "((-180 -20, -170 -20, -170 -10, -180 -10, -180 -20)))") ==
          Approx(whole + north - 2 * inside).epsilon(1e-8));
    CHECK(perimeter("POLYGON ((-180 -90, 180 -90, 180 90, -180 90, -180 -90))") == Approx(0).margin(1e-3));
    // A side that nothing meets stays.
    CHECK(perimeter("MULTIPOLYGON (((170 -20, 180 -20, 180 -10, 170 -10, 170 -20)),"
                    "((-180 0, -170 0, -170 10, -180 10, -180 0)))") ==
          Approx(perimeter("POLYGON ((170 -20, 180 -20, 180 -10, 170 -10, 170 -20))") +
                 perimeter("POLYGON ((-180 0, -170 0, -170 10, -180 10, -180 0))"))
              .epsilon(1e-9));
}

TEST_CASE("planar measures are those of the coordinates") {
    const auto m =
        planar_measures(*wkt("GEOMETRYCOLLECTION (POLYGON ((0 0, 4 0, 4 3, 0 3, 0 0)), LINESTRING (0 0, 3 4))"));
    CHECK(m.area == 12);
    CHECK(m.perimeter == 14);
    CHECK(m.length == 5);
}

TEST_CASE("a layer without a place on Earth is refused with the next step") {
    try {
        ground{OGRSpatialReference{}};
        FAIL("accepted");
    } catch (const gdalmcp::error& e) {
        CHECK(e.message.find("no CRS") != std::string::npos);
        CHECK(e.hint.find("vector_convert") != std::string::npos);
    }
}

TEST_CASE("the plane keeps distances and directions from its centre, and leads back") {
    geod_geodesic wgs84{};
    geod_init(&wgs84, 6378137, 1 / 298.257223563);
    const azimuthal_plane plane{wgs84, 179.9, 0};
    const auto east = plane.forward(-179.9, 0);  // 0.2 degrees of the equator, over the antimeridian
    CHECK(east.x == Approx(equator * 0.2 / 360).epsilon(1e-9));
    CHECK(east.y == Approx(0).margin(1e-6));
    const auto back = plane.inverse(east.x, east.y);
    CHECK(back.x == Approx(-179.9).epsilon(1e-12));
}
