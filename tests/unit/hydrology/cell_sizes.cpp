#include <hydrology/cell_sizes.hpp>

#include "catch.hpp"

using namespace gdalmcp_hydrology;

namespace {
constexpr double wgs84_a = 6378137, wgs84_rf = 298.257223563;
}

TEST_CASE("one degree at the equator is 111319.49 m wide and 110574.39 m high on WGS 84") {
    const auto sizes = cell_sizes::geographic(1, 0.5, 1, 1, wgs84_a, wgs84_rf);
    CHECK(sizes.width(0) == Approx(111319.4908).epsilon(1e-9));
    CHECK(sizes.height(0) == Approx(110574.27).epsilon(1e-5));
}

TEST_CASE("a global grid of one degree sums to the area of the WGS 84 ellipsoid") {
    const auto sizes = cell_sizes::geographic(180, 90, 1, 1, wgs84_a, wgs84_rf);
    double area = 0;
    for (std::size_t row = 0; row < 180; ++row) area += 360 * sizes.area(row);
    CHECK(area == Approx(510065621724088.0).epsilon(1e-10));  // 4 pi (authalic radius 6371007.1809 m)²
}

TEST_CASE("on a sphere a row is the sine rule") {
    const auto sizes = cell_sizes::geographic(1, 60, 360, 30, 1, 0);
    const double pi = 3.14159265358979323846;
    CHECK(sizes.area(0) == Approx(2 * pi * (std::sin(pi / 3) - 0.5)));
}

TEST_CASE("distances follow the true sides of the cell") {
    const auto plane = cell_sizes::planar(3, 3, 4);
    CHECK(plane.distance(1, east) == 3);
    CHECK(plane.distance(1, north) == 4);
    CHECK(plane.distance(1, southwest) == 5);
    const auto globe = cell_sizes::geographic(3, 61, 1, 1, wgs84_a, wgs84_rf);
    CHECK(globe.distance(0, west) < globe.distance(2, west));
    CHECK(globe.distance(1, northeast) < globe.distance(1, southeast));
    CHECK(globe.distance(0, north) == globe.height(0));  // over the edge: the row's own size
}
