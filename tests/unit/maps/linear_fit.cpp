#include <maps/linear_fit.hpp>

#include "catch.hpp"

using namespace gdalmcp_maps;

TEST_CASE("points on a line are fitted exactly") {
    const auto f = fit_of({0, 1, 2}, {1, 3, 5});
    REQUIRE(f);
    CHECK(f->slope == 2);
    CHECK(f->intercept == 1);
    CHECK(*f->r_squared == 1);
}

TEST_CASE("the fit of scattered points is that of the normal equations") {
    // Means 2.5 and 3.5; Sxx = 5, Sxy = 4, Syy = 5.
    const auto f = fit_of({1, 2, 3, 4}, {2, 4, 3, 5});
    REQUIRE(f);
    CHECK(f->slope == Approx(0.8));
    CHECK(f->intercept == Approx(1.5));
    CHECK(*f->r_squared == Approx(16.0 / 25));
}

TEST_CASE("far from zero the fit keeps its digits") {
    const auto f = fit_of({1e9, 1e9 + 1, 1e9 + 2}, {1e6, 1e6 + 3, 1e6 + 6});
    REQUIRE(f);
    CHECK(f->slope == Approx(3).epsilon(1e-12));
}

TEST_CASE("no line goes through one x, and a level line explains no variance") {
    CHECK_FALSE(fit_of({}, {}));
    CHECK_FALSE(fit_of({1}, {2}));
    CHECK_FALSE(fit_of({0.1, 0.1, 0.1}, {1, 2, 3}));
    const auto level = fit_of({1, 2, 3}, {0.1, 0.1, 0.1});
    REQUIRE(level);
    CHECK(level->slope == Approx(0).margin(1e-15));
    CHECK_FALSE(level->r_squared);
}
