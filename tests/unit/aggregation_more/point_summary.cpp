#include <aggregation_more/point_summary.hpp>

#include <cmath>

#include "catch.hpp"

using namespace gdalmcp_aggregation_more;

TEST_CASE("points without a value count, and are left out of statistics") {
    point_summary s{true};
    for (const auto v :
         {std::optional{4.0}, std::optional<double>{}, std::optional{-1.0}, std::optional{6.0}, std::optional{7.0}})
        s.add(v);
    CHECK(s.count() == 5);
    CHECK(s.values() == 4);
    CHECK(s.sum() == 16);
    CHECK(s.mean() == 4);
    CHECK(s.min() == -1);
    CHECK(s.max() == 7);
    CHECK(s.median() == 5);  // between 4 and 6
}

TEST_CASE("the median of an odd number is the one in the middle") {
    point_summary s{true};
    for (const double v : {9.0, 1.0, 3.0}) s.add(v);
    CHECK(s.median() == 3);
}

TEST_CASE("without a value nothing is defined, the sum neither") {
    point_summary s{true};
    s.add(std::nullopt);
    CHECK(s.count() == 1);
    for (const double v : {s.sum(), s.mean(), s.min(), s.max(), s.median()}) CHECK(std::isnan(v));
}

TEST_CASE("small values are not lost beside large ones") {
    point_summary s;
    s.add(1e16);
    for (int i = 0; i < 1000; ++i) s.add(1.0);
    s.add(-1e16);
    CHECK(s.sum() == 1000);
}
