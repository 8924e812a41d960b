// outlines.hpp — zones for the tests, in grid coordinates.
#pragma once
#include <aggregation/coverage.hpp>
#include <cmath>
#include <random>

namespace outlines {

using gdalmcp_aggregation::point;
using gdalmcp_aggregation::polygon;
using gdalmcp_aggregation::ring;
using gdalmcp_aggregation::zone;

inline ring box(double x0, double y0, double x1, double y1) {
    return {{x0, y0}, {x1, y0}, {x1, y1}, {x0, y1}, {x0, y0}};
}

inline ring reversed(const ring& r) { return {r.rbegin(), r.rend()}; }

// A star-shaped ring around a centre: never crosses itself.
inline ring star(std::mt19937& random, point centre, double smallest, double largest, int vertices) {
    std::uniform_real_distribution<double> radius{smallest, largest};
    ring r;
    for (int i = 0; i < vertices; ++i) {
        const double angle = 2 * 3.14159265358979323846 * i / vertices, reach = radius(random);
        r.push_back({centre.x + reach * std::cos(angle), centre.y + reach * std::sin(angle)});
    }
    return r;
}

}  // namespace outlines
