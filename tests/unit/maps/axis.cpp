#include <maps/axis.hpp>

#include "catch.hpp"

using namespace gdalmcp_maps;

namespace {

std::vector<std::string> labels(const axis& a) {
    std::vector<std::string> all;
    for (const auto& t : a.ticks) all.push_back(t.label);
    return all;
}

using words = std::vector<std::string>;
// Seconds of days from 1970.
constexpr double day = 86400;

}  // namespace

TEST_CASE("marks of a linear axis are round numbers within it") {
    const auto a = axis_over({0.3, 9.7}, scale::linear, 5);
    CHECK(labels(a) == words{"2", "4", "6", "8"});
    CHECK(a.ticks[1].at == 4);
    CHECK(labels(axis_over({-0.1, 0.1}, scale::linear, 4)) == words{"-0.10", "-0.05", "0.00", "0.05", "0.10"});
    CHECK(labels(axis_over({0, 100}, scale::linear, 5)) == words{"0", "20", "40", "60", "80", "100"});
}

TEST_CASE("whole numbers have marks at least one apart") {
    CHECK(labels(axis_over({0, 2}, scale::linear, 8, true)) == words{"0", "1", "2"});
}

TEST_CASE("large and small numbers share a power of ten") {
    const auto large = axis_over({0, 4e6}, scale::linear, 4);
    CHECK(large.power == 6);
    CHECK(labels(large) == words{"0", "1", "2", "3", "4"});
    CHECK(large.ticks[3].at == 3e6);
    const auto small = axis_over({0, 4e-4}, scale::linear, 4);
    CHECK(small.power == -6);
    CHECK(labels(small) == words{"0", "100", "200", "300", "400"});
    CHECK(axis_over({0, 999'999}, scale::linear, 4).power == 0);
}

TEST_CASE("one value alone lies in the middle of its axis") {
    const auto a = axis_over({7, 7}, scale::linear, 5);
    CHECK(a.share(7) == 0.5);
    CHECK(axis_over({7, 7}, scale::logarithmic, 5).share(7) == Approx(0.5));
}

TEST_CASE("a logarithmic axis has powers of ten, and more digits where it is short") {
    CHECK(labels(axis_over({1, 10000}, scale::logarithmic, 5)) == words{"1", "10", "100", "1000", "10000"});
    CHECK(labels(axis_over({1, 100}, scale::logarithmic, 5)) == words{"1", "2", "5", "10", "20", "50", "100"});
    CHECK(labels(axis_over({2, 6}, scale::logarithmic, 5)) == words{"2", "3", "4", "5", "6"});
    CHECK(labels(axis_over({0.001, 0.1}, scale::logarithmic, 5)).front() == "0.001");
    CHECK(labels(axis_over({1, 1e7}, scale::logarithmic, 5)).back() == "10⁷");
    CHECK(axis_over({1, 100}, scale::logarithmic, 5).share(10) == Approx(0.5));
}

TEST_CASE("marks of time are those of the calendar") {
    // 2020-01-01 is day 18262; 2024-01-01 is day 19723.
    CHECK(labels(axis_over({18262 * day, 19723 * day}, scale::time, 5)) ==
          words{"2020", "2021", "2022", "2023", "2024"});
    CHECK(labels(axis_over({18262 * day, (18262 + 120) * day}, scale::time, 5)) ==
          words{"2020-01", "2020-02", "2020-03", "2020-04"});
    CHECK(labels(axis_over({18262 * day, (18262 + 4) * day}, scale::time, 5)) ==
          words{"2020-01-01", "2020-01-02", "2020-01-03", "2020-01-04", "2020-01-05"});
    CHECK(labels(axis_over({18262 * day - 7200, 18262 * day + 7200}, scale::time, 4)) ==
          words{"12-31 22:00", "23:00", "01-01 00:00", "01:00", "02:00"});
    // 1500-01-01 is day -171664; 2000-01-01 is day 10957.
    CHECK(labels(axis_over({-171664 * day, 10957 * day}, scale::time, 5)) ==
          words{"1500", "1600", "1700", "1800", "1900", "2000"});
}

TEST_CASE("times are written as dates, with the time of day where they have one") {
    CHECK(time_text(0) == "1970-01-01");
    CHECK(time_text(-1) == "1969-12-31T23:59:59");
    CHECK(time_text(19782 * day) == "2024-02-29");
}

TEST_CASE("round numbers are 1, 2 and 5 times a power of ten") {
    CHECK(round_above(0.11) == 0.2);
    CHECK(round_above(3) == 5);
    CHECK(round_above(7) == 10);
    CHECK(round_above(10) == 10);
    CHECK(multiple(3, 0.1) == 0.3);
    CHECK(multiple(7, 0.02) == 0.14);
    CHECK(multiple(3, 20) == 60);
}

TEST_CASE("a range is widened at both ends") {
    CHECK(padded({0, 10}, scale::linear, 0.1).low == -1);
    CHECK(padded({1, 100}, scale::logarithmic, 0.5).high == Approx(1000));
}

TEST_CASE("an axis over values that differ by a rounding has few marks") {
    const double near = 0.1 + 0.2;
    for (const range r :
         {range{0.3, near}, range{100, 100.00000000000003}, range{1e300, 1e300 * (1 + 1e-15)}, range{1e-300, 2e-300}}) {
        const auto a = axis_over(r, scale::linear, 6);
        CHECK(a.ticks.size() < 15);
        CHECK(a.shown.low < r.low);
        CHECK(a.shown.high > r.high);
    }
    CHECK(axis_over({1, 1 + 1e-9}, scale::linear, 6).ticks.size() > 3);
}
