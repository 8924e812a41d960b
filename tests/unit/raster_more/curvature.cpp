#include <raster_more/curvature.hpp>

#include <cmath>

#include "catch.hpp"

using namespace gdalmcp_raster_more;

namespace {

// The middle of 3 × 3 heights, north first.
double middle(curvature what, quadratic by, const double (&z)[3][3], double width = 1, double height = 1) {
    double out = 0;
    curve(what, by, {&z[0][1], &z[1][1], &z[2][1], 1}, width, height, &out);
    return out;
}

}  // namespace

TEST_CASE("a plane is not curved") {
    const double z[3][3] = {{3, 5, 7}, {2, 4, 6}, {1, 3, 5}};
    for (const auto by : {quadratic::evans, quadratic::zevenbergen_thorne})
        for (const auto what :
             {curvature::profile, curvature::plan, curvature::tangential, curvature::mean, curvature::gaussian})
            CHECK(middle(what, by, z) == 0);
}

TEST_CASE("a ridge that falls to the east is convex across the slope only") {
    // z = -x - y²: dz/dx = -1, d²z/dy² = -2.
    const double z[3][3] = {{0, -1, -2}, {1, 0, -1}, {0, -1, -2}};
    for (const auto by : {quadratic::evans, quadratic::zevenbergen_thorne}) {
        CHECK(middle(curvature::profile, by, z) == 0);
        CHECK(middle(curvature::plan, by, z) == Approx(2));
        CHECK(middle(curvature::tangential, by, z) == Approx(2 / std::sqrt(2.0)));
        CHECK(middle(curvature::gaussian, by, z) == 0);
    }
}

TEST_CASE("a slope that flattens downhill is concave along it") {
    // z = -y - y² to the north is steeper: from row 0 (north, y = 1) to row 2: -2, 0, 0; dz/dy = -1, d²z/dy² = -2.
    const double convex[3][3] = {{-2, -2, -2}, {0, 0, 0}, {0, 0, 0}};
    CHECK(middle(curvature::profile, quadratic::evans, convex) == Approx(2 / std::pow(2, 1.5)));
    const double concave[3][3] = {{2, 2, 2}, {0, 0, 0}, {0, 0, 0}};
    CHECK(middle(curvature::profile, quadratic::zevenbergen_thorne, concave) == Approx(-2 / std::pow(2, 1.5)));
    CHECK(middle(curvature::mean, quadratic::evans, concave) == Approx(-1 / std::pow(2, 1.5)));
}

TEST_CASE("level ground has no downhill direction, but a mean curvature") {
    const double top[3][3] = {{-2, -1, -2}, {-1, 0, -1}, {-2, -1, -2}};
    CHECK(std::isnan(middle(curvature::profile, quadratic::evans, top)));
    CHECK(middle(curvature::mean, quadratic::evans, top) == Approx(2));
    CHECK(middle(curvature::gaussian, quadratic::evans, top) == Approx(4));
    CHECK(middle(curvature::mean, quadratic::zevenbergen_thorne, top, 2, 2) == Approx(0.5));
}

TEST_CASE("a saddle has a negative gaussian curvature") {
    const double twist[3][3] = {{-1, 0, 1}, {0, 0, 0}, {1, 0, -1}};  // z = x y
    CHECK(middle(curvature::gaussian, quadratic::evans, twist) == Approx(-1));
    CHECK(middle(curvature::gaussian, quadratic::evans, twist, 2, 0.5) == Approx(-1));
}
