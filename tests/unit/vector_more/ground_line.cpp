#include "vector_more/ogr_ground_line.hpp"

#include "geometries.hpp"
#include "vector_more/ogr_parts.hpp"

using namespace gdalmcp_vector_more;
using gdalmcp_vector::ground;

namespace {
ground on(const char* crs) { return ground{*gdalmcp::gdal::parse_crs(crs)}; }
constexpr double degree_of_equator = 6378137 * 3.14159265358979323846 / 180;  // m, WGS 84
}  // namespace

TEST_CASE("points along the equator lie at equal longitudes, from its start on") {
    const auto earth = on("EPSG:4326");
    const auto all = points_along(&earth, *wkt("LINESTRING (10 0, 12 0)"), degree_of_equator / 2, 100);
    REQUIRE(all.size() == 5);
    for (std::size_t i = 0; i < all.size(); ++i) {
        CHECK(all[i].shape->toPoint()->getX() == Approx(10 + 0.5 * static_cast<double>(i)).epsilon(1e-10));
        CHECK(all[i].values[2] == Approx(degree_of_equator / 2 * static_cast<double>(i)).margin(1e-4));
    }
    CHECK(wkt(*all[0].shape) == "POINT (10 0)");
}

TEST_CASE("a step in units of the map follows corners, and a ring does not meet its start twice") {
    const auto all = points_along(nullptr, *wkt("POLYGON ((0 0, 4 0, 4 4, 0 4, 0 0))"), 3, 100);
    REQUIRE(all.size() == 6);
    CHECK(wkt(*all[2].shape) == "POINT (4 2)");
    CHECK(points_along(nullptr, *wkt("POLYGON ((0 0, 4 0, 4 4, 0 4, 0 0))"), 4, 100).size() == 4);
    CHECK(points_along(nullptr, *wkt("LINESTRING (0 0, 4 0)"), 4, 100).size() == 2);
    CHECK(points_along(nullptr, *wkt("LINESTRING (0 0, 4 0)"), 9, 100).size() == 1);
}

TEST_CASE("more points than allowed are refused before they are made") {
    CHECK_THROWS_AS(points_along(nullptr, *wkt("LINESTRING (0 0, 4 0)"), 1e-9, 1000), gdalmcp_vector::unusable);
    const auto earth = on("EPSG:4326");
    CHECK_THROWS_AS(densified(&earth, *wkt("LINESTRING (0 0, 4 0)"), 1, 1000), gdalmcp_vector::unusable);
}

TEST_CASE("no edge is longer than asked, heights are interpolated, vertices stay") {
    const auto earth = on("EPSG:4326");
    const auto done = densified(&earth, *wkt("LINESTRING Z (0 60 0, 1 60 40, 1 60.001 50)"), 14'000, 1000);
    // A degree of the parallel of 60 is 55.8 km: four pieces of 13.95 km.
    REQUIRE(vertex_count(*done) == 6);
    OGRPoint second;
    done->toLineString()->getPoint(1, &second);
    CHECK(second.getX() == Approx(0.25).epsilon(1e-6));
    CHECK(second.getY() == 60);
    CHECK(second.getZ() == Approx(10));
}

TEST_CASE("heights are interpolated in units of the coordinates as well") {
    const auto done = densified(nullptr, *wkt("LINESTRING Z (0 0 1, 90 0 4)"), 30, 1000);
    const auto& line = *done->toLineString();
    REQUIRE(line.getNumPoints() == 4);
    CHECK(line.getX(1) == 30);
    CHECK(line.getZ(1) == 2);
    CHECK(line.getZ(2) == 3);
}

TEST_CASE("neighbours keep a common border, whichever way round they go") {
    const auto earth = on("EPSG:3857");
    const auto there = densified(&earth, *wkt("LINESTRING (100 8000000, 250321.3 8123456.7)"), 999, 10'000);
    const auto back = densified(&earth, *wkt("LINESTRING (250321.3 8123456.7, 100 8000000)"), 999, 10'000);
    back->toLineString()->reversePoints();
    CHECK(vertex_count(*there) > 50);
    CHECK(wkt(*there) == wkt(*back));
}
