#include "point_density.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace gdalmcp_aggregation_more {
namespace {

constexpr double pi = 3.14159265358979323846;

// The height of a kernel at its centre, per m².
double peak_of(kernel_shape shape, double h) {
    switch (shape) {
        case kernel_shape::gaussian:
            return 1 / (2 * pi * h * h);
        case kernel_shape::uniform:
            return 1 / (pi * h * h);
        case kernel_shape::quartic:
            break;
    }
    return 3 / (pi * h * h);
}

}  // namespace

double kernel_reach(kernel_shape shape) { return shape == kernel_shape::gaussian ? 5 : 1; }

double reference_bandwidth(const std::vector<weighted_point>& points, kernel_shape shape) {
    double w = 0, w2 = 0, x = 0, y = 0, squares = 0;
    for (const auto& p : points) w += p.weight, w2 += p.weight * p.weight, x += p.weight * p.x, y += p.weight * p.y;
    if (w <= 0) return 0;
    x /= w;
    y /= w;
    for (const auto& p : points) squares += p.weight * ((p.x - x) * (p.x - x) + (p.y - y) * (p.y - y));
    const double sigma = std::sqrt(squares / w / 2);
    const double constant = shape == kernel_shape::gaussian ? 1 : shape == kernel_shape::quartic ? 2.7793 : 2;
    return constant * sigma * std::pow(w * w / w2, -1.0 / 6);
}

struct point_density::room {
    std::vector<double> along;  // of a Gaussian kernel, by column
};

point_density::point_density(std::vector<weighted_point> points, kernel_shape shape, double bandwidth)
    : points_{std::move(points)}, shape_{shape}, bandwidth_{bandwidth}, reach_{bandwidth * kernel_reach(shape)} {
    std::sort(points_.begin(), points_.end(),
              [](const auto& a, const auto& b) { return std::tie(a.y, a.x, a.weight) < std::tie(b.y, b.x, b.weight); });
}

void point_density::fill(const density_window& cells, double* out) const {
    std::fill_n(out, static_cast<std::size_t>(cells.width) * static_cast<std::size_t>(cells.height), 0.0);
    const double south = cells.y - (cells.height - 1) * cells.cell - reach_;
    const auto first = std::partition_point(points_.begin(), points_.end(), [&](const auto& p) { return p.y < south; });
    room r;
    for (auto p = first; p != points_.end() && p->y <= cells.y + reach_; ++p) add(*p, cells, r, out);
}

void point_density::add(const weighted_point& p, const density_window& cells, room& r, double* out) const {
    // Columns whose centres lie within `half` of the point.
    const auto columns = [&](double half) {
        const double from = std::ceil((p.x - half - cells.x) / cells.cell),
                     to = std::floor((p.x + half - cells.x) / cells.cell);
        return std::pair{static_cast<int>(std::clamp(from, 0.0, static_cast<double>(cells.width))),
                         static_cast<int>(std::clamp(to + 1, 0.0, static_cast<double>(cells.width)))};
    };
    const auto [left, right] = columns(reach_);
    if (left >= right) return;
    const double peak = p.weight * peak_of(shape_, bandwidth_), scale = 1 / (bandwidth_ * bandwidth_);
    const auto apart = [&](int column) { return cells.x + column * cells.cell - p.x; };
    if (shape_ == kernel_shape::gaussian) {
        r.along.resize(static_cast<std::size_t>(right - left));
        for (int i = left; i < right; ++i)
            r.along[static_cast<std::size_t>(i - left)] = std::exp(-0.5 * apart(i) * apart(i) * scale);
    }
    const double top = std::ceil((cells.y - p.y - reach_) / cells.cell),
                 bottom = std::floor((cells.y - p.y + reach_) / cells.cell);
    const int last = static_cast<int>(std::min(bottom, cells.height - 1.0));
    for (int j = static_cast<int>(std::max(top, 0.0)); j <= last; ++j) {
        const double dy = cells.y - j * cells.cell - p.y, rest = reach_ * reach_ - dy * dy;
        if (rest < 0) continue;
        const auto [begin, end] = columns(std::sqrt(rest));
        double* row = out + static_cast<std::size_t>(j) * static_cast<std::size_t>(cells.width);
        if (shape_ == kernel_shape::gaussian) {
            const double across = peak * std::exp(-0.5 * dy * dy * scale);
            for (int i = begin; i < end; ++i) row[i] += across * r.along[static_cast<std::size_t>(i - left)];
        } else if (shape_ == kernel_shape::uniform) {
            for (int i = begin; i < end; ++i) row[i] += peak;
        } else {
            for (int i = begin; i < end; ++i) {
                const double dx = apart(i), height = std::max(0.0, 1 - (dx * dx + dy * dy) * scale);
                row[i] += peak * height * height;
            }
        }
    }
}

}  // namespace gdalmcp_aggregation_more
