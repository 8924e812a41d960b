#include "raster/mosaic_layout.hpp"
#include "raster/overlaid_cells.hpp"

#include <limits>

#include "catch.hpp"

using namespace gdalmcp_raster;

namespace {

constexpr double none = -1;  // no data, in the literals here

// Puts rasters of one row on top of each other; the rows may begin anywhere in the block.
struct strip {
    int column;
    std::vector<double> values;
};
overlaid_cells overlaid(overlap_rule rule, int width, const std::vector<strip>& strips) {
    overlaid_cells cells{rule};
    cells.begin(width, 1);
    for (const auto& s : strips) {
        std::vector<unsigned char> valid;
        for (const double v : s.values) valid.push_back(v != none);
        cells.add({s.column, 0, static_cast<int>(s.values.size()), 1, s.values.data(), valid.data()});
    }
    cells.end();
    return cells;
}
std::vector<double> values(const overlaid_cells& cells) {
    std::vector<double> all;
    for (std::size_t i = 0; i < cells.size(); ++i) all.push_back(cells.valid(i) ? cells.value(i) : none);
    return all;
}

lattice at(double x, double y, double cell, std::int64_t columns, std::int64_t rows) {
    return {x, y, cell, cell, columns, rows};
}
std::vector<std::int64_t> numbers(const placement& p) { return {p.column, p.row, p.columns, p.rows, p.aligned}; }

}  // namespace

TEST_CASE("where rasters overlap, the rule decides") {
    const std::vector<strip> three{{0, {1, 2, none, 9}}, {1, {4, 5, 6}}, {3, {none, 7}}};
    CHECK(values(overlaid(overlap_rule::first, 6, three)) == std::vector<double>{1, 2, 5, 9, 7, none});
    CHECK(values(overlaid(overlap_rule::last, 6, three)) == std::vector<double>{1, 4, 5, 6, 7, none});
    CHECK(values(overlaid(overlap_rule::min, 6, three)) == std::vector<double>{1, 2, 5, 6, 7, none});
    CHECK(values(overlaid(overlap_rule::max, 6, three)) == std::vector<double>{1, 4, 5, 9, 7, none});
    CHECK(values(overlaid(overlap_rule::mean, 6, three)) == std::vector<double>{1, 3, 5, 7.5, 7, none});
}

TEST_CASE("cells overlap where several rasters have data, and differ by the spread of their values") {
    const auto cells = overlaid(overlap_rule::first, 5, {{0, {3, 3, 3, none}}, {0, {3, 5, none, none}}, {1, {1, 3}}});
    CHECK(cells.overlap(0));
    CHECK(cells.spread(0) == 0);
    CHECK(cells.spread(1) == 4);
    CHECK(cells.overlap(2));
    CHECK(cells.spread(2) == 0);
    CHECK_FALSE(cells.valid(3));
    CHECK_FALSE(cells.overlap(4));
}

TEST_CASE("the mean of equal values is that value") {
    CHECK(values(overlaid(overlap_rule::mean, 1, {{0, {0.1}}, {0, {0.1}}, {0, {0.1}}})) == std::vector<double>{0.1});
}

TEST_CASE("the largest difference is found at its first place, in any order of the blocks") {
    const std::vector<std::pair<double, cell_place>> all{{5, {7, 2}}, {5, {3, 9}}, {5, {3, 4}}, {2, {0, 0}}};
    overlap_findings down, up;
    for (auto i = all.begin(); i != all.end(); ++i) down.differ(i->first, i->second);
    for (auto i = all.rbegin(); i != all.rend(); ++i) up.differ(i->first, i->second);
    for (const auto& found : {down, up}) {
        CHECK(found.largest == 5);
        CHECK((found.largest_at == cell_place{3, 4}));
    }
}

TEST_CASE("infinite values that agree do not differ") {
    const double far = std::numeric_limits<double>::infinity();
    const auto cells = overlaid(overlap_rule::mean, 2, {{0, {far, far}}, {0, {far, 1}}});
    CHECK(cells.spread(0) == 0);
    CHECK(cells.value(0) == far);
    CHECK(cells.spread(1) == far);
}

TEST_CASE("rasters lie on the grid of the first one with such cells") {
    // The second lies two cells left of the first and one above it, the third half a cell off.
    const auto l = layout_of({at(100, 50, 10, 3, 2), at(80, 60, 10, 2, 2), at(105, 50, 10, 1, 1)}, {10, 10});
    CHECK(l.grid.x == 80);
    CHECK(l.grid.y == 60);
    CHECK(l.grid.columns == 5);
    CHECK(l.grid.rows == 3);
    CHECK(numbers(l.places[0]) == std::vector<std::int64_t>{2, 1, 3, 2, true});
    CHECK(numbers(l.places[1]) == std::vector<std::int64_t>{0, 0, 2, 2, true});
    CHECK(numbers(l.places[2]) == std::vector<std::int64_t>{2, 1, 2, 1, false});
}

TEST_CASE("with cells that no raster has, the grid begins at the upper left corner of all") {
    const auto l = layout_of({at(100, 50, 10, 4, 4), at(90, 55, 15, 2, 2)}, {20, 20});
    CHECK(l.grid.x == 90);
    CHECK(l.grid.y == 55);
    CHECK(numbers(l.places[0]) == std::vector<std::int64_t>{0, 0, 3, 3, false});
    CHECK(numbers(l.places[1]) == std::vector<std::int64_t>{0, 0, 2, 2, false});
}

TEST_CASE("a thousandth of a cell is the same grid, and more is not") {
    const auto aligned = [](double shift, double stretch) {
        return layout_of({at(0, 0, 10, 100, 100), {1000 + shift, 0, 10 + stretch, 10, 100, 100}}, {10, 10})
            .places[1]
            .aligned;
    };
    CHECK(aligned(0.009, 0));
    CHECK_FALSE(aligned(0.02, 0));
    CHECK(aligned(0, 0.00009));  // over 100 columns
    CHECK_FALSE(aligned(0, 0.0002));
}

TEST_CASE("rasters share cells where they overlap, not where they touch") {
    const placement square{0, 0, 2, 2};
    CHECK(share_cells(square, {1, 1, 2, 2}));
    CHECK(share_cells({-3, -3, 9, 9}, square));
    CHECK_FALSE(share_cells(square, {2, 0, 2, 2}));
    CHECK_FALSE(share_cells(square, {0, -2, 2, 2}));
}

TEST_CASE("a mosaic has gaps where no raster lies") {
    const auto full = [](const std::vector<lattice>& rasters) { return gapless(layout_of(rasters, {1, 1})); };
    CHECK(full({at(0, 0, 1, 3, 3)}));
    CHECK(full({at(0, 0, 1, 3, 3), at(3, 0, 1, 2, 3)}));
    CHECK(full({at(0, 0, 1, 3, 3), at(1, 0, 1, 4, 3)}));
    CHECK_FALSE(full({at(0, 0, 1, 3, 3), at(4, 0, 1, 2, 3)}));
    CHECK_FALSE(full({at(0, 0, 1, 3, 3), at(3, 0, 1, 2, 2)}));
    CHECK_FALSE(full({at(0, 0, 1, 2, 2), at(2, -2, 1, 2, 2)}));
    CHECK(full({at(0, 0, 1, 2, 2), at(2, -2, 1, 2, 2), at(2, 0, 1, 2, 2), at(0, -2, 1, 2, 2)}));
}
