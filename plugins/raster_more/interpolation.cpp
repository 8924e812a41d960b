#include "interpolation.hpp"

#include <algorithm>
#include <cmath>

namespace gdalmcp_raster_more {
namespace {

// Solves a · x = b in place, by elimination with partial pivoting; false: singular.
bool solve(std::vector<double>& a, std::vector<double>& b) {
    const std::size_t n = b.size();
    for (std::size_t k = 0; k < n; ++k) {
        std::size_t pivot = k;
        for (std::size_t i = k + 1; i < n; ++i)
            if (std::abs(a[i * n + k]) > std::abs(a[pivot * n + k])) pivot = i;
        if (std::abs(a[pivot * n + k]) < 1e-14) return false;
        if (pivot != k) {
            for (std::size_t c = k; c < n; ++c) std::swap(a[k * n + c], a[pivot * n + c]);
            std::swap(b[k], b[pivot]);
        }
        for (std::size_t i = k + 1; i < n; ++i) {
            const double factor = a[i * n + k] / a[k * n + k];
            if (factor == 0) continue;
            for (std::size_t c = k; c < n; ++c) a[i * n + c] -= factor * a[k * n + c];
            b[i] -= factor * b[k];
        }
    }
    for (std::size_t k = n; k-- > 0;) {
        for (std::size_t c = k + 1; c < n; ++c) b[k] -= a[k * n + c] * b[c];
        b[k] /= a[k * n + k];
    }
    return true;
}

}  // namespace

double inverse_distance(const std::vector<measured_point>& points, const std::vector<neighbour>& near, double power) {
    if (near.front().distance == 0) return points[near.front().point].value;
    double weights = 0, sum = 0;
    for (const auto& n : near) {
        // Relative to the nearest, so that no power overflows.
        const double w = std::pow(near.front().distance / n.distance, power);
        weights += w;
        sum += w * points[n.point].value;
    }
    return sum / weights;
}

std::optional<estimate> krige(const std::vector<measured_point>& points, const std::vector<neighbour>& near,
                              const variogram& v, kriging_scratch& scratch) {
    // Semivariances as shares of the sill, so that the pivots are of the order of 1.
    const std::size_t n = near.size(), size = n + 1;
    scratch.matrix.assign(size * size, 1);
    scratch.right.assign(size, 1);
    for (std::size_t i = 0; i < n; ++i) {
        const auto& p = points[near[i].point];
        for (std::size_t k = 0; k < n; ++k) {
            const auto& q = points[near[k].point];
            scratch.matrix[i * size + k] = v.at(std::hypot(p.x - q.x, p.y - q.y)) / v.sill;
        }
        scratch.right[i] = v.at(near[i].distance) / v.sill;
    }
    scratch.matrix[size * size - 1] = 0;
    const auto right = scratch.right;
    if (!solve(scratch.matrix, scratch.right)) return std::nullopt;
    estimate e;
    double variance = scratch.right[n];
    for (std::size_t i = 0; i < n; ++i) {
        e.value += scratch.right[i] * points[near[i].point].value;
        variance += scratch.right[i] * right[i];
    }
    e.variance = std::max(0.0, variance * v.sill);
    return e;
}

}  // namespace gdalmcp_raster_more
