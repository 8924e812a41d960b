#include <aggregation_more/series_summary.hpp>

#include <cmath>
#include <limits>
#include <random>

#include "catch.hpp"

using namespace gdalmcp_aggregation_more;

namespace {

constexpr double gap = std::numeric_limits<double>::quiet_NaN();

using runs = std::vector<value_run>;

}  // namespace

TEST_CASE("gaps count in no figure of a series") {
    const auto s = summary_of({gap, 4, 1, gap, 7, 1, gap}, {});
    CHECK(s.valid == 4);
    CHECK(s.first == 1);
    CHECK(s.last == 5);
    CHECK(s.mean == 3.25);  // 13/4
    CHECK(s.min == 1);
    CHECK(s.max == 7);
    CHECK(s.lowest == 2);  // the first of the two
    CHECK(s.highest == 4);
    CHECK(!s.trend);
}

TEST_CASE("a series of gaps has no figures") {
    const auto s = summary_of({gap, gap}, {0, 1});
    CHECK(s.valid == 0);
    for (const double v : {s.mean, s.min, s.max}) CHECK(std::isnan(v));
    CHECK(!s.trend);
    CHECK(summary_of({}, {}).valid == 0);
}

TEST_CASE("one value is mean, lowest and highest") {
    const auto s = summary_of({gap, -2}, {0, 1});
    CHECK(s.mean == -2);
    CHECK(s.min == -2);
    CHECK(s.max == -2);
    CHECK(s.lowest == 1);
    CHECK(s.highest == 1);
}

TEST_CASE("a trend is of the values there are, at their own times") {
    // 2 a year at the years 0, 1, 3 and 6; what the gap at year 2 would be does not matter.
    const auto s = summary_of({1, 3, gap, 7, 13}, {0, 1, 2, 3, 6});
    REQUIRE(s.trend);
    CHECK(s.trend->slope == 2);
    // Six pairs rise: S = 6, variance 4·3·13/18 = 8.6667, z = 5/√8.6667.
    CHECK(s.trend->p_value == Approx(std::erfc(5 / std::sqrt(2 * 156.0 / 18))));
    CHECK(!summary_of({1, 3, gap, 7, gap}, {0, 1, 2, 3, 6}).trend);  // three values
    CHECK(!summary_of({1, 3, 5, 7, 13}, {}).trend);                  // times unknown
}

TEST_CASE("runs are of consecutive values beyond the threshold, which itself is not") {
    CHECK(runs_of({31, 35, 30, 40, 8}, {30, true}) == runs{{0, 1}, {3, 3}});
    CHECK(runs_of({31, 35, 30, 40, 8}, {30, false}) == runs{{4, 4}});
    CHECK(runs_of({1, 2, 3}, {0, true}) == runs{{0, 2}});
    CHECK(runs_of({1, 2, 3}, {9, true}).empty());
    CHECK(runs_of({}, {0, true}).empty());
    CHECK(value_run{3, 5}.observations() == 3);
}

TEST_CASE("a gap ends a run, whichever side of the threshold counts") {
    CHECK(runs_of({5, gap, 5, 5, gap}, {1, true}) == runs{{0, 0}, {2, 3}});
    CHECK(runs_of({gap, -5, -5, gap, -5}, {1, false}) == runs{{1, 2}, {4, 4}});
    CHECK(runs_of({gap, gap}, {0, false}).empty());
}

TEST_CASE("the longest run lasts the most days, then has the most observations, then comes first") {
    const runs three{{0, 2}, {4, 5}, {7, 8}};
    CHECK(longest_of(three, {}) == 0);
    // 2, 30 and 30 days.
    CHECK(longest_of(three, {0, 1, 2, 9, 10, 40, 41, 50, 80}) == 1);
    // 10 days each; the first has three observations.
    CHECK(longest_of(three, {0, 5, 10, 11, 20, 30, 31, 40, 50}) == 0);
    CHECK(longest_of({{3, 3}, {5, 5}}, {0, 1, 2, 3, 4, 5}) == 0);
}

TEST_CASE("runs and the values between them make up any series") {
    std::mt19937 random{3};
    std::uniform_int_distribution<int> digit{0, 9};
    for (int round = 0; round < 200; ++round) {
        std::vector<double> values;
        for (int i = 0; i < 40; ++i) values.push_back(digit(random) == 0 ? gap : digit(random));
        const threshold t{4, round % 2 == 0};
        std::vector<bool> inside(values.size());
        const auto found = runs_of(values, t);
        for (std::size_t i = 0; i < found.size(); ++i) {
            if (i > 0) REQUIRE(found[i].first > found[i - 1].last + 1);  // else they were one
            for (auto k = found[i].first; k <= found[i].last; ++k) inside[k] = true;
        }
        for (std::size_t k = 0; k < values.size(); ++k)
            REQUIRE(inside[k] == (!std::isnan(values[k]) && (t.above ? values[k] > 4 : values[k] < 4)));
    }
}
