#include <raster_more/burnt_values.hpp>

#include "catch.hpp"

using namespace gdalmcp_raster_more;
using gdalmcp_raster::cell_type;

namespace {

burnt_values seen(std::initializer_list<double> all) {
    burnt_values v;
    for (const double x : all) v.see(x);
    return v;
}

}  // namespace

TEST_CASE("the smallest type that holds the values and leaves its nodata value free is chosen") {
    CHECK(seen({1, 200}).type(false, {}) == cell_type::uint8);
    CHECK(seen({1, 255}).type(false, {}) == cell_type::int16);
    CHECK(seen({-1, 7}).type(false, {}) == cell_type::int16);
    CHECK(seen({0, 40000}).type(false, {}) == cell_type::uint16);
    CHECK(seen({-1, 40000}).type(false, {}) == cell_type::int32);
    CHECK(seen({0.5}).type(false, {}) == cell_type::float32);
    CHECK(seen({0.1}).type(false, {}) == cell_type::float64);
}

TEST_CASE("a background is data, so it must fit and needs no free value") {
    CHECK(seen({1, 255}).type(false, 0) == cell_type::uint8);
    CHECK(seen({1}).type(false, -1) == cell_type::int16);
}

TEST_CASE("sums of all values must fit when they are added") {
    CHECK(seen({200, 200}).type(true, 0) == cell_type::int16);
    CHECK(seen({0.5, 0.5}).type(true, 0) == cell_type::float64);
}

TEST_CASE("cells on multiples of the step hold an extent") {
    const auto a = cells_on_multiples(12, 38, 10, false);
    CHECK(a.origin == 10);
    CHECK(a.count == 3);
    const auto exact = cells_on_multiples(10, 40, 10, false);
    CHECK(exact.origin == 10);
    CHECK(exact.count == 3);
    CHECK(cells_on_multiples(10, 40, 10, true).count == 4);  // a point at 40 lies in the cell that begins there
    CHECK(cells_on_multiples(40, 40, 10, true).count == 1);
    CHECK(cells_on_multiples(0.3, 0.9, 0.1, false).count == 6);
}

TEST_CASE("cells from a lower bound reach the upper one") {
    const auto a = cells_from(5, 38, 10);
    CHECK(a.origin == 5);
    CHECK(a.count == 4);
    CHECK(cells_from(0, 0.6, 0.2).count == 3);
}
