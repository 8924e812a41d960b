#include <raster/value_census.hpp>

#include <cmath>
#include <limits>

#include "catch.hpp"

using namespace gdalmcp_raster;

namespace {

// `times` cells of a value that looks like nodata among cells 0..n-1 plus `from`.
value_census census_of(double odd, int times, double from, int n, double step = 1) {
    std::vector<double> values(static_cast<std::size_t>(times), odd);
    for (int i = 0; i < n; ++i) values.push_back(from + step * i);
    const std::vector<unsigned char> valid(values.size(), 255);
    value_census c;
    c.see(values.data(), valid.data(), values.size());
    return c;
}

}  // namespace

TEST_CASE("values are counted, nodata and NaN apart") {
    const std::vector<double> values{3, 1, std::nan(""), 2, 2, 9};
    const std::vector<unsigned char> valid{255, 255, 255, 255, 255, 0};
    value_census c;
    c.see(values.data(), valid.data(), values.size());
    CHECK(c.valid() == 4);
    CHECK(c.missing() == 2);
    CHECK(c.missing_share() == Approx(2.0 / 6));
    CHECK(c.min() == 1);
    CHECK(c.max() == 3);
    CHECK(c.distinct() == 3);
    CHECK_FALSE(c.more_distinct());
    CHECK(value_census{}.missing_share() == 0);
}

TEST_CASE("different values are counted up to 256") {
    CHECK(census_of(5, 0, 0, 256).distinct() == 256);
    CHECK_FALSE(census_of(5, 0, 0, 256).more_distinct());
    CHECK(census_of(5, 0, 0, 257).distinct() == 256);
    CHECK(census_of(5, 0, 0, 257).more_distinct());
}

TEST_CASE("-9999 below heights, and 0 below brightness, look like undeclared nodata") {
    const auto heights = census_of(-9999, 10, 200, 900).suspects();
    REQUIRE(heights.size() == 1);
    CHECK(heights[0].value == -9999);
    CHECK(heights[0].share == Approx(10.0 / 910));
    CHECK(heights[0].next == 200);
    REQUIRE(census_of(0, 50, 6000, 9000).suspects().size() == 1);
    REQUIRE(census_of(255, 5, 0, 101).suspects().size() == 1);
    CHECK(census_of(255, 5, 0, 101).suspects()[0].next == 100);
    CHECK(census_of(static_cast<double>(std::numeric_limits<float>::lowest()), 5, 0, 101).suspects().size() == 1);
}

TEST_CASE("a value that others come close to, that is rare, or that is only a number, is no suspect") {
    CHECK(census_of(0, 50, 1, 200).suspects().empty());           // 0, 1, 2, ...
    CHECK(census_of(0, 50, 0.01, 200, 0.01).suspects().empty());  // rain
    CHECK(census_of(-9999, 1, 0, 2000).suspects().empty());       // one cell in two thousand
    CHECK(census_of(-9999, 50, -9500, 9500).suspects().empty());  // the bottom of the sea
    CHECK(census_of(-5000, 50, 200, 900).suspects().empty());     // no customary value
    CHECK(value_census{}.suspects().empty());
}

TEST_CASE("a mask of 0 and 255 is no suspect, a raster of -9999 and one value is") {
    CHECK(census_of(0, 50, 255, 50, 0).suspects().empty());
    CHECK(census_of(-9999, 50, 7, 50, 0).suspects().size() == 1);
}
