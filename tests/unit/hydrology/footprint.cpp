#include <hydrology/footprint.hpp>

#include "catch.hpp"

using namespace gdalmcp_hydrology;

TEST_CASE("nodata that reaches the edge, even by a corner, is not a hole") {
    const grid<std::uint8_t> valid{{0, 1, 1, 1}, {1, 0, 1, 1}, {1, 1, 1, 1}, {1, 1, 1, 1}};
    CHECK(count_holes(valid).holes == 0);
    const auto land = trace_footprint(valid, nodata_holes::missing);
    CHECK(land(1, 1) == footprint::outside);
}

TEST_CASE("holes are counted as connected regions") {
    const grid<std::uint8_t> valid{{1, 1, 1, 1, 1, 1}, {1, 0, 1, 1, 1, 1}, {1, 1, 0, 1, 0, 1}, {1, 1, 1, 1, 1, 1}};
    const auto found = count_holes(valid);
    CHECK(found.holes == 2);
    CHECK(found.cells == 3);
    CHECK(trace_footprint(valid, nodata_holes::missing)(1, 1) == footprint::hole);
    CHECK(trace_footprint(valid, nodata_holes::outlet)(1, 1) == footprint::outside);
}

TEST_CASE("water leaves at the edge and beside outside cells, not beside holes") {
    const grid<std::uint8_t> valid{{1, 1, 1, 1, 1}, {1, 1, 1, 1, 1}, {1, 1, 0, 1, 1}, {1, 1, 1, 1, 1}, {1, 1, 1, 1, 1}};
    const auto drained = trace_footprint(valid, nodata_holes::outlet);
    const auto missing = trace_footprint(valid, nodata_holes::missing);
    CHECK(is_outlet(drained, 6));
    CHECK_FALSE(is_outlet(missing, 6));
    CHECK(is_outlet(missing, 0));
}

TEST_CASE("cells equal to nodata, NaN and infinite cells are not valid") {
    const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
    CHECK(valid_cells(grid<double>{{1, -9999, nan, -inf}}, {-9999.0}) == grid<std::uint8_t>{{1, 0, 0, 0}});
}
