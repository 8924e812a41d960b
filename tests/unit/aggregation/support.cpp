#include <aggregation/support.hpp>

#include <cmath>

#include "catch.hpp"

#include <aggregation/coverage.hpp>

#include "outlines.hpp"

using namespace gdalmcp_aggregation;
using outlines::box;

namespace {

zone circle(double x, double y, double radius, int vertices) {
    std::mt19937 ignored;
    return {{outlines::star(ignored, {x, y}, radius, radius, vertices), {}}};
}

}  // namespace

TEST_CASE("an outline along the borders of cells cuts none") {
    CHECK(cut_cells({{box(1, 1, 4, 3), {}}}) == 0);
    CHECK(boundary_share(6, 0) == 0);
}

TEST_CASE("an outline along cell borders cuts none however long it is, and after rounding") {
    const zone comb = [] {  // teeth one cell wide and 100 high: over 10 000 crossings
        ring r{{0, 100}, {0, 101}, {101, 101}, {101, 100}};
        for (int x = 100; x > 0; x -= 2)
            for (const point p : {point{x + 0.0, 100}, {x + 0.0, 0}, {x - 1.0, 0}, {x - 1.0, 100}}) r.push_back(p);
        return zone{{r, {}}};
    }();
    CHECK(cut_cells(comb) == 0);
    CHECK(cutting_length(comb) == 0);
    const zone rounded{{box(1 - 1e-9, 1 + 1e-9, 4 + 1e-9, 3), {}}};
    CHECK(cut_cells(rounded) == 0);
    CHECK(centre_rule_error(6, cutting_length(rounded)) == 0);
}

TEST_CASE("a rectangle shifted by half a cell cuts the ring of cells under its sides") {
    CHECK(cut_cells({{box(0.5, 0.5, 3.5, 2.5), {}}}) == 4 * 3 - 2 * 1);
    CHECK(cutting_length({{box(0.5, 0.5, 3.5, 2.5), {}}}) == 10);
}

TEST_CASE("a zone inside one cell cuts that cell, and all of its cells are cut") {
    CHECK(cut_cells({{box(2.2, 3.2, 2.8, 3.7), {}}}) == 1);
    CHECK(boundary_share(0.3, 1) == 1);
}

TEST_CASE("a diagonal through corners cuts the cells it crosses and no others") {
    // The hypotenuse from (0, 3) to (3, 0) runs through the corners of three cells; the legs are borders.
    CHECK(cut_cells({{{{0, 0}, {3, 0}, {0, 3}}, {}}}) == 3);
}

TEST_CASE("holes cut cells too, and a cell cut twice counts once") {
    CHECK(cut_cells({{box(0, 0, 9, 9), {box(4.2, 4.2, 4.8, 4.8)}}}) == 1);
    CHECK(cut_cells({{box(0, 0, 9, 9), {box(4.2, 4.2, 4.4, 4.4), box(4.6, 4.6, 4.8, 4.8)}}}) == 1);
}

TEST_CASE("cut cells are those that a zone covers in part") {
    std::mt19937 random{7};
    for (int i = 0; i < 50; ++i) {
        const zone outline{{outlines::star(random, {20.3, 19.6}, 3, 15, 5 + i % 20), {}}};
        const auto shares = cover(outline, {0, 0, 40, 40}, coverage_rule::fraction);
        const auto partly = std::count_if(shares.begin(), shares.end(), [](double s) { return s > 0 && s < 1; });
        CAPTURE(i);
        CHECK(cut_cells(outline) == static_cast<double>(partly));
    }
}

TEST_CASE("mean, median and trimmed mean of a zone are weighted by covered shares") {
    std::vector<covered_value> ten;
    for (int v = 10; v >= 1; --v) ten.push_back({static_cast<double>(v), 1});
    const auto even = typical_of(ten);
    REQUIRE(even);
    CHECK(even->mean == Approx(5.5));
    CHECK(even->median == Approx(5.5));
    CHECK(even->trimmed_mean == Approx(5.5));  // of 2 to 9
    CHECK(even->relative_difference() == Approx(0).margin(1e-12));
    // Half a cell of 8 and one of 2: 6 / 1.5; of the trimmed 1.2 the 2 keeps 0.85 and the 8 keeps 0.35.
    const auto two = typical_of({{8, 0.5}, {2, 1}});
    CHECK(two->mean == Approx(4));
    CHECK(two->median == 5);  // half way between two cells
    CHECK(two->trimmed_mean == Approx((2 * 0.85 + 8 * 0.35) / 1.2));
}

TEST_CASE("one outlier in ten cells moves the mean alone") {
    const auto t = typical_of({{0, 1}, {0, 1}, {0, 1}, {0, 1}, {0, 1}, {0, 1}, {0, 1}, {0, 1}, {0, 1}, {50, 1}});
    CHECK(t->mean == Approx(5));
    CHECK(t->median == 0);
    CHECK(t->trimmed_mean == Approx(0).margin(1e-9));
    CHECK(t->relative_difference() == Approx(1));
    CHECK(typical_of({{7, 0.25}})->relative_difference() == Approx(0).margin(1e-12));
    CHECK(typical_of({{0, 1}})->relative_difference() == 0);
    CHECK_FALSE(typical_of({}));
}

TEST_CASE("a very long outline is measured by the borders it crosses") {
    CHECK(cut_cells({{box(0.5, 0.5, 1000.5, 1000.5), {}}}) == 4000);
}

TEST_CASE("counting centres errs as discs thrown at random do") {
    // Radius 6: 113 cells on average. The spread of the counted centres over 4000 throws against the formula.
    std::mt19937 random{3};
    std::uniform_real_distribution<double> anywhere{0, 1};
    const double radius = 6;
    double sum = 0, squares = 0;
    const int throws = 4000;
    for (int i = 0; i < throws; ++i) {
        const double x = 10 + anywhere(random), y = 10 + anywhere(random);
        int count = 0;
        for (int row = 0; row < 21; ++row)
            for (int column = 0; column < 21; ++column) count += std::hypot(column + 0.5 - x, row + 0.5 - y) < radius;
        sum += count;
        squares += static_cast<double>(count) * count;
    }
    const double mean = sum / throws, stdev = std::sqrt(squares / throws - mean * mean);
    const auto disc = circle(10, 10, radius, 720);
    CHECK(centre_rule_error(area_of(disc), cutting_length(disc)) == Approx(stdev / mean).epsilon(0.15));
}

TEST_CASE("half a cell is hit or missed: an error of its own size") {
    CHECK(centre_rule_error(0.5, 2.8) == Approx(1));
    CHECK(centre_rule_error(0.2, 1.8) == Approx(2));
}

TEST_CASE("skew is mean less median over the standard deviation") {
    const auto s = spread_of({0, 0, 0, 0, 10});
    REQUIRE(s);
    CHECK(s->mean == 2);
    CHECK(s->median == 0);
    CHECK(s->stdev == Approx(4));
    CHECK(s->skew == Approx(0.5));
    CHECK(s->top_share == 1.0);
    CHECK(spread_of({1, 2, 3, 4})->median == 2.5);
    CHECK(spread_of({5, 5, 5})->skew == 0);
    CHECK_FALSE(spread_of({}));
}

TEST_CASE("the greatest hundredth of the values holds its share of the sum, if none is negative") {
    std::vector<double> values(200, 1.0);
    values[17] = 101;
    CHECK(spread_of(values)->top_share == Approx(102.0 / 300));
    values[3] = -1;
    CHECK_FALSE(spread_of(values)->top_share);
}
