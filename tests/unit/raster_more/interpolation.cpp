#include <raster_more/interpolation.hpp>

#include <cmath>

#include "catch.hpp"

using namespace gdalmcp_raster_more;

namespace {

constexpr double anywhere = std::numeric_limits<double>::infinity();

std::vector<neighbour> around(const std::vector<measured_point>& points, double x, double y, std::size_t most,
                              std::size_t without = point_index::nobody, double radius = anywhere) {
    const point_index index{points};
    std::vector<neighbour> found;
    index.nearest(x, y, most, radius, without, found);
    return found;
}

}  // namespace

TEST_CASE("the nearest points are found in order, of equal distances the first") {
    std::vector<measured_point> points;
    for (int i = 0; i < 20; ++i)
        for (int k = 0; k < 20; ++k) points.push_back({1.0 * i, 1.0 * k, 0});
    const auto found = around(points, 5, 5, 5);
    REQUIRE(found.size() == 5);
    CHECK(found[0].point == 105);
    CHECK(found[1].point == 85);
    CHECK(found[2].point == 104);
    CHECK(found[3].point == 106);
    CHECK(found[4].point == 125);
    CHECK(around(points, 5, 5, 9, 105).front().distance == 1);
    CHECK(around(points, 5, 5, 99, point_index::nobody, 1.0).size() == 5);
    CHECK(around(points, -9, 5, 99, point_index::nobody, 1.0).empty());
}

TEST_CASE("points at one place become their mean") {
    std::vector<measured_point> points{{1, 1, 4}, {0, 0, 1}, {1, 1, 8}};
    CHECK(merge_duplicates(points) == 1);
    REQUIRE(points.size() == 2);
    CHECK(points[0].value == 1);
    CHECK(points[1].value == 6);
}

TEST_CASE("inverse distances weigh the points, whose own values stay") {
    const std::vector<measured_point> points{{0, 0, 1}, {3, 0, 7}};
    CHECK(inverse_distance(points, around(points, 1, 0, 2), 1) == Approx((1 * 2 + 7 * 1) / 3.0));
    CHECK(inverse_distance(points, around(points, 1, 0, 2), 2) == Approx((1 * 4 + 7 * 1) / 5.0));
    CHECK(inverse_distance(points, around(points, 3, 0, 2), 2) == 7);
}

TEST_CASE("kriging between two points by hand") {
    // Halfway both weigh a half: gamma(2) = 2 between them and gamma(1) = 1 to the place, of a range beyond.
    const std::vector<measured_point> points{{0, 0, 10}, {2, 0, 20}};
    const variogram v{variogram_shape::spherical, 0, 8, 4};
    kriging_scratch scratch;
    const auto e = krige(points, around(points, 1, 0, 2), v, scratch);
    REQUIRE(e);
    CHECK(e->value == Approx(15));
    // Cressie (1993), 3.2.16: 2 * sum(weight * gamma(to)) - sum(weight * weight * gamma(between)).
    CHECK(e->variance == Approx(2 * v.at(1) - 0.5 * v.at(2)));
    const auto at_point = krige(points, around(points, 2, 0, 2), v, scratch);
    CHECK(at_point->value == Approx(20));
    CHECK(at_point->variance == Approx(0).margin(1e-12));
}

TEST_CASE("a model is found again from its own values") {
    for (const auto shape : {variogram_shape::spherical, variogram_shape::exponential, variogram_shape::gaussian}) {
        const variogram truth{shape, 2, 12, 700};
        std::vector<variogram_lag> lags;
        for (int i = 1; i <= 15; ++i) lags.push_back({i * 80.0, truth.at(i * 80.0), 100});
        const auto found = fitted(lags, {});
        REQUIRE(found);
        CHECK(found->shape == shape);
        CHECK(found->nugget == Approx(2).epsilon(1e-3));
        CHECK(found->sill == Approx(12).epsilon(1e-3));
        CHECK(found->range == Approx(700).epsilon(1e-3));
    }
}

TEST_CASE("values that are all the same, and too few distances, have no variogram") {
    CHECK_FALSE(fitted({{1, 0, 3}, {2, 0, 3}, {3, 0, 3}}, {}));
    CHECK_FALSE(fitted({{1, 2, 3}, {2, 3, 3}}, {}));
}
