#include <aggregation_more/point_density.hpp>

#include <cmath>
#include <random>

#include "catch.hpp"

using namespace gdalmcp_aggregation_more;

namespace {

constexpr double pi = 3.14159265358979323846;

std::vector<double> filled(const point_density& d, const density_window& w) {
    std::vector<double> cells(static_cast<std::size_t>(w.width * w.height));
    d.fill(w, cells.data());
    return cells;
}

}  // namespace

TEST_CASE("a uniform kernel is a disc of its weight over its area") {
    const point_density d{{{0, 0, 2}}, kernel_shape::uniform, 1.5};
    const double disc = 2 / (pi * 1.5 * 1.5);
    CHECK(filled(d, {-2, 2, 1, 5, 5}) == std::vector<double>{0, 0,    0,    0,    0,  //
                                                             0, disc, disc, disc, 0,  //
                                                             0, disc, disc, disc, 0,  //
                                                             0, disc, disc, disc, 0,  //
                                                             0, 0,    0,    0,    0});
}

TEST_CASE("a quartic kernel is 3/(πh²) (1 − d²/h²)²") {
    const point_density d{{{0, 0, 1}}, kernel_shape::quartic, 2};
    const auto row = filled(d, {0, 0, 1, 3, 1});
    CHECK(row[0] == Approx(3 / (4 * pi)));
    CHECK(row[1] == Approx(3 / (4 * pi) * 0.75 * 0.75));
    CHECK(row[2] == 0);
}

TEST_CASE("a Gaussian kernel is that of the normal distribution, to five deviations") {
    const point_density d{{{10, 20, 3}}, kernel_shape::gaussian, 2};
    const auto row = filled(d, {10, 20, 4, 4, 1});
    for (int i = 0; i < 3; ++i)
        CHECK(row[static_cast<std::size_t>(i)] == Approx(3 / (2 * pi * 4) * std::exp(-16.0 * i * i / 8)));
    CHECK(row[3] == 0);
    CHECK(d.reach() == 10);
}

TEST_CASE("each kernel integrates to the weight") {
    for (const auto shape : {kernel_shape::quartic, kernel_shape::gaussian, kernel_shape::uniform}) {
        const point_density d{{{0.3, -0.2, 5}}, shape, 10};
        double sum = 0;
        for (const double v : filled(d, {-60, 60, 0.5, 241, 241})) sum += v * 0.25;
        // The disc ends between cells.
        CHECK(sum == Approx(5).epsilon(shape == kernel_shape::uniform ? 1e-2 : 1e-3));
    }
}

TEST_CASE("a cell has the same value in every window") {
    std::mt19937 random{7};
    std::uniform_real_distribution<double> place{0, 100};
    std::vector<weighted_point> points;
    for (int i = 0; i < 300; ++i) points.push_back({place(random), place(random), place(random)});
    for (const auto shape : {kernel_shape::quartic, kernel_shape::gaussian, kernel_shape::uniform}) {
        const point_density d{points, shape, 7};
        const auto whole = filled(d, {0, 100, 1, 100, 100});
        const auto part = filled(d, {40, 60, 1, 20, 30});
        for (std::size_t j = 0; j < 30; ++j)
            for (std::size_t i = 0; i < 20; ++i) REQUIRE(part[j * 20 + i] == whole[(40 + j) * 100 + 40 + i]);
    }
}

TEST_CASE("the reference bandwidth is c σ n^(-1/6)") {
    // Variances of 1 and 4, so σ² = 2.5.
    const std::vector<weighted_point> four{{1, 2, 1}, {-1, 2, 1}, {1, -2, 1}, {-1, -2, 1}};
    const double expected = std::sqrt(2.5) * std::pow(4, -1.0 / 6);
    CHECK(reference_bandwidth(four, kernel_shape::gaussian) == Approx(expected));
    CHECK(reference_bandwidth(four, kernel_shape::quartic) == Approx(2.7793 * expected));
    CHECK(reference_bandwidth(four, kernel_shape::uniform) == Approx(2 * expected));
    CHECK(reference_bandwidth({{5, 5, 1}, {5, 5, 2}}, kernel_shape::gaussian) == 0);
}
