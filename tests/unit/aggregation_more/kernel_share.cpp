#include <aggregation_more/kernel_share.hpp>

#include <cmath>
#include <numbers>

#include "catch.hpp"

using namespace gdalmcp_aggregation_more;
using gdalmcp_aggregation::zone;

namespace {

// The share of a kernel of bandwidth 1 on the side of a straight edge that its centre lies on, at distance d.
double beyond_edge(kernel_shape shape, double d) {
    if (shape == kernel_shape::gaussian) return 0.5 * std::erfc(-d / std::sqrt(2));
    if (d >= 1) return 1;
    if (shape == kernel_shape::uniform) return 1 - (std::acos(d) - d * std::sqrt(1 - d * d)) / std::numbers::pi;
    constexpr int steps = 2000;  // of the integral of 16/(5π) (1 − t²)^(5/2), by midpoints
    double sum = 0;
    for (int i = 0; i < steps; ++i) sum += std::pow(1 - std::pow((i + 0.5) / steps * d, 2), 2.5);
    return 0.5 + 16 / (5 * std::numbers::pi) * sum * d / steps;
}

zone rectangle(double left, double top, double right, double bottom) {
    return {{{{left, top}, {right, top}, {right, bottom}, {left, bottom}}, {}}};
}

std::vector<double> filled(const kernel_share& shares, const gdalmcp_aggregation::window& w) {
    std::vector<double> out(w.size());
    shares.fill(w, out.data());
    return out;
}

constexpr kernel_shape shapes[] = {kernel_shape::quartic, kernel_shape::gaussian, kernel_shape::uniform};

}  // namespace

TEST_CASE("beside a straight edge the share of a kernel is known within 1 %, wherever the edge cuts the cells") {
    for (const auto shape : shapes)
        for (const double cell : {0.05, 0.08, 0.1, 0.3, 1.0, 2.5})
            for (const double edge : {0.0, 0.1, 0.42, 0.49}) {
                const auto far = 1 + 2 * kernel_reach(shape) / cell;
                const kernel_share shares{rectangle(edge, -far, 3 * far, 3 * far), cell, shape, 1};
                const auto row = filled(shares, {0, 0, 1, static_cast<std::size_t>(far)});
                for (std::size_t i = 0; i < row.size(); ++i)
                    REQUIRE(row[i] ==
                            Approx(beyond_edge(shape, (static_cast<double>(i) + 0.5 - edge) * cell)).epsilon(0.01));
            }
}

TEST_CASE("in a right angle the share of a Gaussian kernel is the product of those of its sides") {
    const kernel_share shares{rectangle(0.3, 0.2, 400, 400), 1, kernel_shape::gaussian, 10};
    const auto corner = filled(shares, {0, 0, 3, 3});
    for (std::size_t i = 0; i < 9; ++i) {
        const double x = static_cast<double>(i % 3) + 0.2, y = static_cast<double>(i / 3) + 0.3;
        CHECK(corner[i] ==
              Approx(beyond_edge(kernel_shape::gaussian, x / 10) * beyond_edge(kernel_shape::gaussian, y / 10))
                  .epsilon(0.01));
    }
}

TEST_CASE("the share is 1 where the kernel reaches no edge, and what lies in a hole is missing") {
    for (const auto shape : shapes) {
        auto outline = rectangle(0, 0, 200, 200);
        const kernel_share whole{outline, 1, shape, 12};
        CHECK(filled(whole, {99, 99, 1, 2}) == std::vector<double>{1, 1});
        outline.front().holes.push_back({{100, 0}, {100, 200}, {200, 200}, {200, 0}});
        const kernel_share half{outline, 1, shape, 12};
        CHECK(filled(half, {99, 99, 1, 1})[0] == Approx(beyond_edge(shape, 0.5 / 12)).epsilon(0.01));
    }
}

TEST_CASE("a cell has the same share in every window") {
    const zone triangle{{{{3.3, 2.1}, {151.7, 70.2}, {20.4, 140.9}}, {}}};
    const kernel_share shares{triangle, 1, kernel_shape::quartic, 4};
    const auto all = filled(shares, {0, 0, 150, 160}), part = filled(shares, {60, 50, 20, 30});
    for (std::size_t j = 0; j < 20; ++j)
        for (std::size_t i = 0; i < 30; ++i) REQUIRE(part[j * 30 + i] == all[(60 + j) * 160 + 50 + i]);
}
