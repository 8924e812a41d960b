#include "variogram.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace gdalmcp_raster_more {
namespace {

constexpr std::size_t classes = 15;
constexpr double least_gaussian_nugget = 1e-4;

double rise(variogram_shape s, double h) {
    if (s == variogram_shape::exponential) return 1 - std::exp(-3 * h);
    if (s == variogram_shape::gaussian) return 1 - std::exp(-3 * h * h);
    return h < 1 ? h * (1.5 - 0.5 * h * h) : 1;
}

double misfit(const std::vector<variogram_lag>& lags, const variogram& v) {
    double sum = 0;
    for (const auto& l : lags) {
        const double ratio = l.semivariance / v.at(l.distance) - 1;
        sum += static_cast<double>(l.pairs) * ratio * ratio;
    }
    return sum;
}

// Nugget and partial sill, neither below 0, for a shape and range: least squares, weighted anew by the model each time.
variogram levels(const std::vector<variogram_lag>& lags, variogram_shape shape, double range, double scale) {
    variogram v{shape, 0, scale, range};
    for (int turn = 0; turn < 20; ++turn) {
        double w0 = 0, w1 = 0, w2 = 0, y0 = 0, y1 = 0;
        for (const auto& l : lags) {
            const double model = std::max(v.at(l.distance), 1e-9 * scale);
            const double w = static_cast<double>(l.pairs) / (model * model), f = rise(shape, l.distance / range);
            w0 += w, w1 += w * f, w2 += w * f * f, y0 += w * l.semivariance, y1 += w * f * l.semivariance;
        }
        const double determinant = w0 * w2 - w1 * w1;
        double nugget = determinant > 1e-12 * w0 * w2 ? (w2 * y0 - w1 * y1) / determinant : 0;
        nugget = std::max(nugget, 0.0);
        double part = (y1 - nugget * w1) / w2;
        if (!(part > 0)) part = 0, nugget = y0 / w0;
        if (shape == variogram_shape::gaussian) nugget = std::max(nugget, least_gaussian_nugget * part);
        v.nugget = nugget;
        v.sill = nugget + part;
    }
    return v;
}

// The best range: a coarse search, then a fine one around the best of it.
variogram best_of(const std::vector<variogram_lag>& lags, variogram_shape shape, double scale) {
    double low = lags.front().distance / 2, high = 3 * lags.back().distance;
    std::optional<variogram> best;
    double least = 0;
    for (int pass = 0; pass < 4; ++pass) {
        constexpr int steps = 40;
        const double factor = std::pow(high / low, 1.0 / steps);
        for (int i = 0; i <= steps; ++i) {
            const auto v = levels(lags, shape, low * std::pow(factor, i), scale);
            const double m = misfit(lags, v);
            if (!best || m < least) best = v, least = m;
        }
        low = best->range / factor;
        high = best->range * factor;
    }
    return *best;
}

}  // namespace

std::vector<variogram_lag> experimental(const std::vector<measured_point>& points, std::size_t max_points) {
    const auto step = std::max<std::size_t>(1, (points.size() + max_points - 1) / max_points);
    std::array<double, 4> box{INFINITY, INFINITY, -INFINITY, -INFINITY};
    for (const auto& p : points)
        box = {std::min(box[0], p.x), std::min(box[1], p.y), std::max(box[2], p.x), std::max(box[3], p.y)};
    const double width = std::hypot(box[2] - box[0], box[3] - box[1]) / 2 / classes;
    std::vector<variogram_lag> lags(classes);
    for (std::size_t i = 0; i < points.size(); i += step)
        for (std::size_t k = i + step; k < points.size(); k += step) {
            const double h = std::hypot(points[i].x - points[k].x, points[i].y - points[k].y);
            const auto lag = static_cast<std::size_t>(h / width);
            if (lag >= classes) continue;
            const double d = points[i].value - points[k].value;
            lags[lag].distance += h;
            lags[lag].semivariance += d * d / 2;
            ++lags[lag].pairs;
        }
    std::vector<variogram_lag> filled;
    for (auto& l : lags) {
        if (l.pairs == 0) continue;
        l.distance /= static_cast<double>(l.pairs);
        l.semivariance /= static_cast<double>(l.pairs);
        filled.push_back(l);
    }
    return filled;
}

double variogram::at(double h) const { return h == 0 ? 0 : nugget + (sill - nugget) * rise(shape, h / range); }

std::optional<variogram> fitted(const std::vector<variogram_lag>& lags, std::optional<variogram_shape> shape) {
    double scale = 0;
    for (const auto& l : lags) scale = std::max(scale, l.semivariance);
    if (lags.size() < 3 || !(scale > 0)) return std::nullopt;
    if (shape) return best_of(lags, *shape, scale);
    std::optional<variogram> best;
    for (const auto s : {variogram_shape::spherical, variogram_shape::exponential, variogram_shape::gaussian})
        if (const auto v = best_of(lags, s, scale); !best || misfit(lags, v) < misfit(lags, *best)) best = v;
    return best;
}

}  // namespace gdalmcp_raster_more
