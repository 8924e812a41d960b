#include <aggregation_more/fused_figures.hpp>

#include <cmath>

#include "catch.hpp"

using namespace gdalmcp_aggregation_more;

TEST_CASE("a cell counts by the share of it that is covered") {
    fused_figures f{false};
    f.add(10, 1, 1);
    f.add(20, 0.5, 1);
    f.add_missing();
    CHECK(f.valid() == 2);
    CHECK(f.total() == 20);         // 10 + 20/2
    CHECK(f.mean() == 20.0 / 1.5);  // 13.33
    CHECK(f.std() == Approx(std::sqrt(200.0 / 9)));
    CHECK(f.missing_share() == 1.0 / 3);
}

TEST_CASE("the spread of values far from zero keeps its digits") {
    fused_figures f{false};
    for (const double v : {1e9, 1e9 + 1, 1e9 + 2}) f.add(v, 1, 1);
    CHECK(f.mean() == 1e9 + 1);
    CHECK(f.std() == Approx(std::sqrt(2.0 / 3)));
}

TEST_CASE("the area of the classes that are gone is a share of all area before") {
    fused_figures before{true}, after{true};
    before.add(1, 1, 6);
    before.add(2, 1, 3);
    before.add(3, 1, 1);
    after.add(1, 1, 9);
    after.add(3, 1, 1);
    CHECK(before.class_count() == 3);
    CHECK(before.share_lost_in(after) == Approx(0.3));
    CHECK(after.share_lost_in(before) == 0);
}

TEST_CASE("a difference is relative to what was there before") {
    CHECK(relative_difference(200, 199) == -0.005);
    CHECK(relative_difference(-200, -199) == 0.005);
    CHECK(relative_difference(0, 0) == 0);
    CHECK(std::isinf(relative_difference(0, 1)));
}
