#include "relief.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "datasets/wide_registers.hpp"

namespace gdalmcp_raster {
namespace {

constexpr double degrees = 180.0 / M_PI;
constexpr std::size_t at_once = 256;  // cells; their rises fit in the first-level cache

// atan(rise) in degrees as float, for rises of 0 or more, with the bits that the C library's atan gives: without a
// branch, so that the compiler can use vector instructions, and again by the library for the cells, about one in ten
// million, that lie so close to the middle between two floats that the error of the polynomial could matter.
void angles_of(const double* rise, std::size_t count, float* out) {
    // atan(t) / t as a polynomial in t * t, up to the tangent of 22.5 degrees: it interpolates at the ten Chebyshev
    // nodes there and has a relative error below 1.1e-15.
    constexpr double eighth = 0.41421356237309503;
    constexpr double polynomial[] = {
        0.999999999999999,    -0.3333333333322143, 0.19999999978392663, -0.14285712661684793, 0.11111048853751296,
        -0.09089529956562307, 0.07673535428183285, -0.0650598296717084, 0.05024762118940128,  -0.025316479573776477};
    constexpr double error = 2e-14;  // of the polynomial, its rounding and the library together
    int doubtful = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const double r = rise[i];
        // atan(r) = base + atan(over / under) with |over / under| <= eighth.
        const bool low = r<eighth, high = r> 1 / eighth;
        const double over = low ? r : high ? -1.0 : r - 1;
        const double under = low ? 1.0 : high ? r : r + 1;
        const double base = low ? 0.0 : high ? M_PI / 2 : M_PI / 4;
        const double t = over / under, u = t * t;
        double ratio = 0;
#pragma GCC unroll 16
        for (std::size_t k = std::size(polynomial); k > 0; --k) ratio = polynomial[k - 1] + u * ratio;
        const double angle = (base + t * ratio) * degrees;
        out[i] = static_cast<float>(angle);
        doubtful += static_cast<float>(angle * (1 - error)) != static_cast<float>(angle * (1 + error));
    }
    if (doubtful == 0) return;
    for (std::size_t i = 0; i < count; ++i) {
        const double angle = std::atan(rise[i]) * degrees;
        out[i] = static_cast<float>(angle);
    }
}

// Differences between opposite sides, left - right and below - above, over `weight` cells' sides of 2.
struct horn_difference {
    static constexpr double weight = 8;
    static float x(const float* a, const float* h, const float* b) {
        return (a[-1] + h[-1] + h[-1] + b[-1]) - (a[1] + h[1] + h[1] + b[1]);
    }
    static float y(const float* a, const float*, const float* b) {
        return (b[-1] + b[0] + b[0] + b[1]) - (a[-1] + a[0] + a[0] + a[1]);
    }
};
struct thorne_difference {
    static constexpr double weight = 2;
    static float x(const float*, const float* h, const float*) { return h[-1] - h[1]; }
    static float y(const float* a, const float*, const float* b) { return b[0] - a[0]; }
};

template <class D>
void slope_by(const relief_rows& r, const relief_cell& cell, bool percent, float* out) {
    double rises[at_once];
    for (std::size_t first = 0; first < r.count; first += at_once) {
        const std::size_t count = std::min(at_once, r.count - first);
        const float *above = r.above + first, *here = r.here + first, *below = r.below + first;
        for (std::size_t i = 0; i < count; ++i) {
            const double dx = D::x(above + i, here + i, below + i) / cell.width;
            const double dy = D::y(above + i, here + i, below + i) / cell.height;
            rises[i] = std::sqrt(dx * dx + dy * dy) / D::weight;
        }
        if (percent)
            for (std::size_t i = 0; i < count; ++i) out[first + i] = static_cast<float>(100 * rises[i]);
        else
            angles_of(rises, count, out + first);
    }
}

template <class D>
void aspect_by(const relief_rows& r, const relief_cell& cell, float flat, float* out) {
    // 1 on square cells, where gdaldem has no such factor.
    const double stretch = -cell.width / cell.height;
    for (std::size_t i = 0; i < r.count; ++i) {
        const double dx = D::x(r.above + i, r.here + i, r.below + i);
        const double dy = stretch * D::y(r.above + i, r.here + i, r.below + i);
        if (dx == 0 && dy == 0) {
            out[i] = flat;
            continue;
        }
        const auto mathematical = static_cast<float>(std::atan2(dy, dx) / (M_PI / 180.0));
        const float azimuth = mathematical > 90.0f ? 450.0f - mathematical : 90.0f - mathematical;
        out[i] = azimuth == 360.0f ? 0.0f : azimuth;
    }
}

}  // namespace

GDALMCP_WIDE_REGISTERS
void slope(const relief_rows& rows, const relief_cell& cell, gradient by, bool percent, float* out) {
    by == gradient::horn ? slope_by<horn_difference>(rows, cell, percent, out)
                         : slope_by<thorne_difference>(rows, cell, percent, out);
}

void aspect(const relief_rows& rows, const relief_cell& cell, gradient by, float flat, float* out) {
    by == gradient::horn ? aspect_by<horn_difference>(rows, cell, flat, out)
                         : aspect_by<thorne_difference>(rows, cell, flat, out);
}

}  // namespace gdalmcp_raster
