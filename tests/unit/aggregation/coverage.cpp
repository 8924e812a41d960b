#include <aggregation/coverage.hpp>

#include "catch.hpp"

#include <aggregation/overlap_count.hpp>
#include <numeric>

#include "outlines.hpp"

using namespace gdalmcp_aggregation;
using outlines::box;

namespace {

using shares = std::vector<double>;

shares fractions(const zone& outline, std::size_t rows, std::size_t columns) {
    return cover(outline, {0, 0, rows, columns}, coverage_rule::fraction);
}

double total(const shares& s) { return std::accumulate(s.begin(), s.end(), 0.0); }

}  // namespace

TEST_CASE("a rectangle on cell borders covers whole cells") {
    CHECK(fractions({{box(0, 0, 1, 2), {}}}, 2, 2) == shares{1, 0, 1, 0});
    CHECK(fractions({{box(0, 0, 2, 2), {}}}, 2, 2) == shares{1, 1, 1, 1});
}

TEST_CASE("a rectangle shifted by half a cell covers halves and quarters") {
    CHECK(fractions({{box(0.5, 0.5, 1.5, 1.5), {}}}, 2, 2) == shares{0.25, 0.25, 0.25, 0.25});
    CHECK(fractions({{box(0.5, 0, 1.5, 1), {}}}, 1, 2) == shares{0.5, 0.5});
}

TEST_CASE("a triangle covers half of each cell it halves") {
    CHECK(fractions({{{{0, 0}, {2, 0}, {0, 2}}, {}}}, 2, 2) == shares{1, 0.5, 0.5, 0});
    // Half a cell high over two cells: areas 3/8 and 1/8 of a cell.
    CHECK(fractions({{{{0, 0}, {2, 0.5}, {0, 0.5}}, {}}}, 1, 2) == shares{0.375, 0.125});
}

TEST_CASE("a hole is cut out, however exterior and hole are wound") {
    const shares ring_of_cells{1, 1, 1, 1, 0, 1, 1, 1, 1};
    const auto outer = box(0, 0, 3, 3), inner = box(1, 1, 2, 2);
    CHECK(fractions({{outer, {inner}}}, 3, 3) == ring_of_cells);
    CHECK(fractions({{outer, {outlines::reversed(inner)}}}, 3, 3) == ring_of_cells);
    CHECK(fractions({{outlines::reversed(outer), {inner}}}, 3, 3) == ring_of_cells);
}

TEST_CASE("parts of one zone add up in the cells they share") {
    CHECK(fractions({{box(0, 0, 0.25, 1), {}}, {outlines::reversed(box(0.5, 0, 0.75, 1)), {}}}, 1, 1) == shares{0.5});
}

TEST_CASE("a zone reaching beyond the block on every side covers it all") {
    const zone big{{{{-7, -3}, {9, -5}, {11, 12}, {-6, 8}}, {}}};
    CHECK(fractions(big, 2, 3) == shares{1, 1, 1, 1, 1, 1});
    CHECK(fractions({{box(-5, -5, -1, 9), {}}}, 2, 2) == shares{0, 0, 0, 0});
    CHECK(fractions({{box(5, -5, 9, 9), {}}}, 2, 2) == shares{0, 0, 0, 0});
}

TEST_CASE("a block of a grid has the shares of that part of the whole, whatever the rule") {
    std::mt19937 random{11};
    const zone outline{{outlines::star(random, {20, 15}, 4, 14, 23), {outlines::star(random, {20, 15}, 1, 3, 9)}}};
    for (const auto rule : {coverage_rule::fraction, coverage_rule::center, coverage_rule::all_touched}) {
        const auto whole = cover(outline, {0, 0, 30, 40}, rule);
        for (std::size_t row = 0; row < 30; row += 7) {
            const window block{row, 9, std::min<std::size_t>(7, 30 - row), 17};
            const auto part = cover(outline, block, rule);
            for (std::size_t r = 0; r < block.height; ++r)
                for (std::size_t c = 0; c < block.width; ++c)
                    REQUIRE(part[r * block.width + c] == Approx(whole[(row + r) * 40 + 9 + c]).margin(1e-12));
        }
    }
}

TEST_CASE("the shares of a zone sum to its area") {
    const zone triangle{{{{1.3, 0.2}, {7.9, 3.1}, {2.4, 9.7}}, {}}};
    const double area = std::abs((7.9 - 1.3) * (9.7 - 0.2) - (2.4 - 1.3) * (3.1 - 0.2)) / 2;
    CHECK(total(fractions(triangle, 10, 10)) == Approx(area).epsilon(1e-14));
}

TEST_CASE("zones that share their borders cover every cell exactly once") {
    // Fans around a common point, cut from the whole grid, with vertices nowhere near cell borders.
    const point hub{3.71, 4.13};
    const ring rim{{0, 0}, {2.31, 0}, {8, 0}, {8, 5.77}, {8, 9}, {1.93, 9}, {0, 9}, {0, 3.33}};
    for (const auto rule : {coverage_rule::fraction, coverage_rule::center}) {
        shares sum(9 * 8, 0.0);
        for (std::size_t i = 0; i < rim.size(); ++i) {
            const auto part = cover({{{hub, rim[i], rim[(i + 1) % rim.size()]}, {}}}, {0, 0, 9, 8}, rule);
            for (std::size_t c = 0; c < sum.size(); ++c) sum[c] += part[c];
        }
        for (const double s : sum) REQUIRE(s == Approx(1).epsilon(1e-13));
    }
}

TEST_CASE("the centre rule takes a cell by its centre, and a centre on a border only once") {
    const auto centers = [](const zone& z) { return cover(z, {0, 0, 1, 2}, coverage_rule::center); };
    CHECK(centers({{box(0, 0, 0.6, 1), {}}}) == shares{1, 0});
    CHECK(centers({{box(0, 0, 0.4, 1), {}}}) == shares{0, 0});
    CHECK(centers({{box(0, 0, 0.5, 1), {}}}) == shares{0, 0});
    CHECK(centers({{box(0.5, 0, 2, 1), {}}}) == shares{1, 1});
    CHECK(centers({{box(0, 0, 2, 1), {box(0.1, 0.1, 0.9, 0.9)}}}) == shares{0, 1});
}

TEST_CASE("all_touched takes every cell with any area inside, not those touched along a side") {
    const auto touched = [](const zone& z) { return cover(z, {0, 0, 1, 3}, coverage_rule::all_touched); };
    CHECK(touched({{box(0.9, 0.4, 1.1, 0.5), {}}}) == shares{1, 1, 0});
    CHECK(touched({{box(1, 0, 2, 1), {}}}) == shares{0, 1, 0});
}

TEST_CASE("the area of a zone is exteriors less holes, however they are wound and wherever they lie") {
    const zone far{{outlines::reversed(box(1e6, 1e6, 1e6 + 3, 1e6 + 3)), {box(1e6 + 1, 1e6 + 1, 1e6 + 2, 1e6 + 2)}},
                   {box(0, 0, 0.5, 1), {}}};
    CHECK(area_of(far) == 8.5);
    CHECK(area_of({}) == 0);
    CHECK(area_of({{{}, {}}}) == 0);
}

TEST_CASE("zones that share a border do not overlap; what covers a cell beyond its area does") {
    using zones = std::set<std::size_t>;
    overlap_count taken;
    taken.begin({0, 0, 2, 2});
    taken.add({{0, 0, 1, 0.3}}, 0);
    taken.add({{0, 1, 1, 1}}, 1);
    taken.add({{0, 0, 1, 0.7}}, 2);
    CHECK(taken.cells() == 0);
    CHECK(taken.zones().empty());
    taken.add({{0, 1, 1, 0.25}}, 3);
    CHECK(taken.cells() == 1);
    CHECK(taken.zones() == zones{1, 3});
    taken.add({{0, 1, 1, 0.5}}, 4);  // the cell is counted once, the zone is still named
    CHECK(taken.cells() == 1);
    CHECK(taken.zones() == zones{1, 3, 4});
    taken.add({{0, 2, 9, 1}}, 5);  // beside the block
    taken.begin({2, 0, 1, 2});
    taken.add({{2, 0, 2, 1}}, 6);
    taken.add({{2, 0, 2, 1}}, 7);
    CHECK(taken.cells() == 3);
    CHECK(taken.zones() == zones{1, 3, 4, 6, 7});
}

TEST_CASE("a neighbour of two zones that overlap is not named with them") {
    overlap_count taken;
    taken.begin({0, 0, 1, 1});
    taken.add({{0, 0, 1, 0.75}}, 8);
    taken.add({{0, 0, 1, 0.75}}, 3);
    taken.add({{0, 0, 1, 0.25}}, 5);
    CHECK(taken.zones() == std::set<std::size_t>{3, 8});
}

TEST_CASE("the enclosing block is clipped to the grid, and empty outside it") {
    CHECK(enclosing({{box(1.2, 0.5, 2.5, 3.0), {}}}, 10, 10) == window{0, 1, 3, 2});
    CHECK(enclosing({{box(-5, -5, 50, 50), {}}}, 10, 20) == window{0, 0, 10, 20});
    CHECK(enclosing({{box(30, 2, 40, 3), {}}}, 10, 20).size() == 0);
    CHECK(enclosing({}, 10, 20).size() == 0);
}

TEST_CASE("degenerate outlines cover nothing") {
    CHECK(fractions({{{}, {}}}, 1, 1) == shares{0});
    CHECK(fractions({{{{0.5, 0.5}}, {}}}, 1, 1) == shares{0});
    CHECK(fractions({{{{0, 0}, {1, 1}, {0, 0}}, {}}}, 1, 1) == shares{0});
}
