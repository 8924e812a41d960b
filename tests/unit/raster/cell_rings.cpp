#include "raster_more/cell_rings.hpp"

#include "catch.hpp"

using namespace gdalmcp_raster_more;

namespace {

std::int64_t cells(const std::vector<cell_ring>& rings) {
    return enclosed<std::int64_t>(rings, [](int column, int) { return std::int64_t{column}; });
}

// A cell of column c in row r has the area 10 r + c.
double area(const std::vector<cell_ring>& rings) {
    return enclosed<double>(rings,
                            [](int column, int row) { return 10.0 * row * column + column * (column - 1) / 2.0; });
}

}  // namespace

TEST_CASE("a ring around cells encloses them, and its holes those left out") {
    // 1 1 1
    // 1 0 1
    // 1 1 .
    const cell_ring outside{{0, 0}, {3, 0}, {3, 2}, {2, 2}, {2, 3}, {0, 3}, {0, 0}};
    const cell_ring hole{{1, 1}, {1, 2}, {2, 2}, {2, 1}, {1, 1}};
    CHECK(cells({outside}) == 8);
    CHECK(cells({outside, hole}) == 7);
    CHECK(area({outside}) == 0 + 1 + 2 + 10 + 11 + 12 + 20 + 21);
    CHECK(area({outside, hole}) == 0 + 1 + 2 + 10 + 12 + 20 + 21);
}

TEST_CASE("the direction of a ring does not matter") {
    const cell_ring ring{{1, 0}, {1, 2}, {3, 2}, {3, 0}, {1, 0}};
    CHECK(cells({ring}) == 4);
    CHECK(cells({{ring.rbegin(), ring.rend()}}) == 4);
}

TEST_CASE("a ring that passes a corner twice encloses the cells on both sides") {
    // 1 0
    // 0 1
    CHECK(cells({{{0, 0}, {1, 0}, {1, 1}, {2, 1}, {2, 2}, {1, 2}, {1, 1}, {0, 1}, {0, 0}}}) == 2);
}
