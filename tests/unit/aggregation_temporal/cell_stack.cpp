#include <aggregation_temporal/cell_stack.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "catch.hpp"

using namespace gdalmcp_temporal;

namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

// rows: observations of all cells.
cell_stack stack(const std::vector<std::vector<double>>& rows) {
    cell_stack s;
    s.resize(rows.size(), rows.front().size());
    for (std::size_t o = 0; o < rows.size(); ++o) std::copy(rows[o].begin(), rows[o].end(), s.row(o));
    return s;
}

template <class F>
std::vector<double> made(const std::vector<std::vector<double>>& rows, F make) {
    auto s = stack(rows);
    std::vector<double> out(s.cells());
    make(s, out.data());
    return out;
}

bool same(const std::vector<double>& a, const std::vector<double>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); });
}

// Three observations of four cells; the last cell was never seen.
const std::vector<std::vector<double>> three{{1, none, 7, none},  //
                                             {4, 2, none, none},  //
                                             {3, 6, none, none}};

}  // namespace

TEST_CASE("extremes, mean and last value leave out what is missing") {
    CHECK(same(made(three, largest), {4, 6, 7, none}));
    CHECK(same(made(three, smallest), {1, 2, 7, none}));
    CHECK(same(made(three, mean), {8.0 / 3, 4, 7, none}));
    CHECK(same(made(three, last), {3, 6, 7, none}));
}

TEST_CASE("the median of two is half way, percentiles are linear between ranks") {
    const auto at = [](double p) { return [p](cell_stack& s, double* out) { percentile(s, p, out); }; };
    CHECK(same(made(three, at(50)), {3, 4, 7, none}));
    CHECK(same(made(three, at(0)), {1, 2, 7, none}));
    CHECK(same(made(three, at(100)), {4, 6, 7, none}));
    CHECK(same(made(three, at(75)), {3.5, 5, 7, none}));
}

TEST_CASE("observations are counted") {
    const auto s = stack(three);
    std::vector<std::uint32_t> seen(4);
    count(s, seen.data());
    CHECK(seen == std::vector<std::uint32_t>{3, 2, 1, 0});
}

TEST_CASE("any number of observations is sorted") {
    std::mt19937 random{3};
    std::uniform_int_distribution<int> value{-50, 50};
    for (std::size_t n = 1; n <= 70; ++n) {
        std::vector<std::vector<double>> rows(n, std::vector<double>(3));
        for (auto& r : rows)
            for (auto& v : r) v = value(random) < -30 ? none : value(random);
        for (const double p : {0.0, 12.5, 50.0, 90.0}) {
            const auto found = made(rows, [p](cell_stack& s, double* out) { percentile(s, p, out); });
            for (std::size_t k = 0; k < 3; ++k) {
                std::vector<double> sorted;
                for (const auto& r : rows)
                    if (!std::isnan(r[k])) sorted.push_back(r[k]);
                std::sort(sorted.begin(), sorted.end());
                if (sorted.empty()) {
                    REQUIRE(std::isnan(found[k]));
                    continue;
                }
                const double place = static_cast<double>(sorted.size() - 1) * p / 100;
                const auto rank = static_cast<std::size_t>(place);
                const double next = sorted[std::min(rank + 1, sorted.size() - 1)];
                REQUIRE(found[k] == Approx(sorted[rank] + (next - sorted[rank]) * (place - static_cast<double>(rank))));
            }
        }
    }
}

TEST_CASE("an observation that one band lacks is left out of all") {
    std::vector<cell_stack> bands{stack({{1, 2}, {3, 4}}), stack({{5, none}, {7, 8}})};
    keep_whole(bands);
    CHECK(std::isnan(bands[0].row(0)[1]));
    CHECK(bands[0].row(0)[0] == 1);
    CHECK(bands[1].row(1)[1] == 8);
}

TEST_CASE("the medoid is the observation nearest to all others, not a mixture") {
    // The first cell: (0, 0), (1, 1), (9, 0). Sums of distances: 1.41 + 9, 1.41 + 8.06, 9 + 8.06.
    const std::vector<cell_stack> bands{stack({{0, 5, none}, {1, 5, none}, {9, none, none}}),
                                        stack({{0, 6, none}, {1, 6, none}, {0, none, none}})};
    std::vector<std::uint32_t> which;
    medoid(bands, which);
    CHECK(which == std::vector<std::uint32_t>{1, 0, 3});  // the second: two equal ones; the third: none
}
