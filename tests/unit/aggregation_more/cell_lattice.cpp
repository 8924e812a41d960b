#include <aggregation_more/cell_lattice.hpp>

#include <cmath>
#include <random>

#include "catch.hpp"

using namespace gdalmcp_aggregation_more;

namespace {

// By cross products, so that it does not depend on how a cell is found.
bool holds(const std::vector<cell_lattice::point>& corners, double x, double y, double slack) {
    for (std::size_t i = 0; i < corners.size(); ++i) {
        const auto &a = corners[i], &b = corners[(i + 1) % corners.size()];
        if ((b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0]) < -slack) return false;
    }
    return true;
}

double area_of(const std::vector<cell_lattice::point>& corners) {
    double twice = 0;
    for (std::size_t i = 0; i < corners.size(); ++i) {
        const auto &a = corners[i], &b = corners[(i + 1) % corners.size()];
        const auto& o = corners[0];  // relative to a corner: far coordinates lose digits
        twice += (a[0] - o[0]) * (b[1] - o[1]) - (b[0] - o[0]) * (a[1] - o[1]);
    }
    return twice / 2;
}

}  // namespace

TEST_CASE("squares are counted from the origin, south-west sides included") {
    const cell_lattice squares{cell_shape::square, 10};
    CHECK(squares.of(0, 0) == cell_index{0, 0});
    CHECK(squares.of(9.99, 10) == cell_index{1, 0});
    CHECK(squares.of(-0.01, -10) == cell_index{-1, -1});
    CHECK(squares.corners({1, 2}) == std::vector<cell_lattice::point>{{20, 10}, {30, 10}, {30, 20}, {20, 20}});
    CHECK(squares.area() == 100);
}

TEST_CASE("a hexagon is around the origin, and the next row is moved by half a width") {
    const cell_lattice hexagons{cell_shape::hexagon, 10};
    CHECK(hexagons.of(0, 0) == cell_index{0, 0});
    CHECK(hexagons.of(4.9, 0) == cell_index{0, 0});
    CHECK(hexagons.of(5.1, 0) == cell_index{0, 1});
    CHECK(hexagons.centre({1, 0}) == cell_lattice::point{5, 10 * std::sqrt(3) / 2});
    CHECK(hexagons.centre({-1, 0})[0] == 5);
    CHECK(hexagons.centre({2, 0})[0] == 0);
    CHECK(hexagons.of(0, 10 / std::sqrt(3) - 0.01) == cell_index{0, 0});  // below its northern corner
    CHECK(hexagons.of(0, 10 / std::sqrt(3) + 0.01).row == 1);
    CHECK(hexagons.area() == Approx(100 * std::sqrt(3) / 2));
}

TEST_CASE("every point lies in its cell, which is counter-clockwise and as large as all others") {
    std::mt19937 random{5};
    std::uniform_real_distribution<double> place{-5e6, 5e6};
    for (const auto shape : {cell_shape::square, cell_shape::hexagon})
        for (const double width : {0.7, 30.0, 12345.0}) {
            const cell_lattice cells{shape, width};
            for (int i = 0; i < 2000; ++i) {
                const double x = place(random) / 10, y = place(random);
                const auto corners = cells.corners(cells.of(x, y));
                CHECK(holds(corners, x, y, 1e-8 * width * width + 1e-7 * width));
                CHECK(area_of({corners}) == Approx(cells.area()).epsilon(1e-5));
            }
        }
}

TEST_CASE("the cells around a box hold each of its points") {
    std::mt19937 random{6};
    std::uniform_real_distribution<double> place{-50, 50};
    for (const auto shape : {cell_shape::square, cell_shape::hexagon}) {
        const cell_lattice cells{shape, 7};
        for (int i = 0; i < 300; ++i) {
            const double a = place(random), b = place(random), c = place(random), d = place(random);
            const cell_lattice::point low{std::min(a, b), std::min(c, d)}, high{std::max(a, b), std::max(c, d)};
            const auto block = cells.around(low, high);
            for (int k = 0; k < 20; ++k) {
                const double u = (place(random) + 50) / 100, v = (place(random) + 50) / 100;
                const auto at = cells.of(low[0] + u * (high[0] - low[0]), low[1] + v * (high[1] - low[1]));
                CHECK((at.row >= block.first.row && at.row <= block.last.row));
                CHECK((at.column >= block.first.column && at.column <= block.last.column));
            }
        }
    }
}
