#include <aggregation_temporal/trend.hpp>

#include <cmath>
#include <limits>

#include "catch.hpp"

using namespace gdalmcp_temporal;

namespace {

trend_of_cell of(const std::vector<double>& times, const std::vector<double>& values) {
    std::vector<double> room;
    return trend(times, values, room);
}

}  // namespace

TEST_CASE("a line has its own slope, whatever one outlier does") {
    CHECK(of({0, 1, 2, 3, 4}, {1, 3, 5, 7, 9}).slope == 2);
    CHECK(of({0, 1, 2, 3, 4}, {1, 3, 500, 7, 9}).slope == 2);
    CHECK(of({0, 0.5, 2, 4, 5}, {5, 4.5, 3, 1, 0}).slope == -1);
}

TEST_CASE("five rising values have S = 10 and a variance of 5·4·15/18") {
    const double z = 9 / std::sqrt(5 * 4 * 15 / 18.0);
    CHECK(of({0, 1, 2, 3, 4}, {1, 3, 5, 7, 9}).p_value == Approx(std::erfc(z / std::sqrt(2.0))));
    CHECK(of({0, 1, 2, 3, 4}, {1, 3, 5, 7, 9}).p_value == Approx(0.02749).epsilon(1e-3));
}

TEST_CASE("ties lower the variance") {
    // S = 5 pairs that rise of six; the pair of equal ones takes 2·1·9 from 4·3·13.
    CHECK(of({0, 1, 2, 3}, {1, 2, 2, 3}).p_value == Approx(std::erfc(4 / std::sqrt(2 * (4 * 3 * 13 - 18) / 18.0))));
}

TEST_CASE("equal values have no trend and every chance") {
    const auto t = of({0, 1, 2, 3}, {7, 7, 7, 7});
    CHECK(t.slope == 0);
    CHECK(t.p_value == 1);
}

TEST_CASE("a cell with three observations has no trend") {
    constexpr double none = std::numeric_limits<double>::quiet_NaN();
    cell_stack s;
    s.resize(4, 2);
    const double rows[4][2] = {{1, 1}, {2, none}, {3, 3}, {4, 4}};
    for (std::size_t o = 0; o < 4; ++o) s.row(o)[0] = rows[o][0], s.row(o)[1] = rows[o][1];
    double slope[2], p[2];
    trend(s, {2000, 2001, 2002, 2003}, slope, p);
    CHECK(slope[0] == 1);
    CHECK(std::isnan(slope[1]));
    CHECK(std::isnan(p[1]));
}
