#include "curvature.hpp"

#include <cmath>
#include <limits>

namespace gdalmcp_raster_more {
namespace {

// Partial derivatives, x to the east and y to the north: dz/dx, dz/dy, d²z/dx², d²z/dxdy, d²z/dy².
struct derivatives {
    double p, q, r, s, t;
};

derivatives derived(quadratic by, const double* a, const double* h, const double* b, double w, double v) {
    derivatives d{};
    d.s = (a[1] - a[-1] - b[1] + b[-1]) / (4 * w * v);
    if (by == quadratic::zevenbergen_thorne) {
        d.p = (h[1] - h[-1]) / (2 * w);
        d.q = (a[0] - b[0]) / (2 * v);
        d.r = (h[-1] - 2 * h[0] + h[1]) / (w * w);
        d.t = (a[0] - 2 * h[0] + b[0]) / (v * v);
    } else {
        d.p = (a[1] + h[1] + b[1] - a[-1] - h[-1] - b[-1]) / (6 * w);
        d.q = (a[-1] + a[0] + a[1] - b[-1] - b[0] - b[1]) / (6 * v);
        d.r = (a[-1] + a[1] + h[-1] + h[1] + b[-1] + b[1] - 2 * (a[0] + h[0] + b[0])) / (3 * w * w);
        d.t = (a[-1] + a[0] + a[1] + b[-1] + b[0] + b[1] - 2 * (h[-1] + h[0] + h[1])) / (3 * v * v);
    }
    return d;
}

double of(curvature what, const derivatives& d) {
    const double steep = d.p * d.p + d.q * d.q, full = 1 + steep;
    const double across = d.q * d.q * d.r - 2 * d.p * d.q * d.s + d.p * d.p * d.t;
    if (what == curvature::mean)
        return -((1 + d.q * d.q) * d.r - 2 * d.p * d.q * d.s + (1 + d.p * d.p) * d.t) / (2 * full * std::sqrt(full));
    if (what == curvature::gaussian) return (d.r * d.t - d.s * d.s) / (full * full);
    if (steep == 0) return std::numeric_limits<double>::quiet_NaN();
    if (what == curvature::plan) return -across / (steep * std::sqrt(steep));
    if (what == curvature::tangential) return -across / (steep * std::sqrt(full));
    return -(d.p * d.p * d.r + 2 * d.p * d.q * d.s + d.q * d.q * d.t) / (steep * full * std::sqrt(full));
}

}  // namespace

void curve(curvature what, quadratic by, const curved_rows& rows, double width, double height, double* out) {
    for (std::size_t i = 0; i < rows.count; ++i)
        out[i] = of(what, derived(by, rows.above + i, rows.here + i, rows.below + i, width, height));
}

}  // namespace gdalmcp_raster_more
