#include "cell_sizes.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace gdalmcp_hydrology {
namespace {

constexpr double pi = 3.14159265358979323846;

struct ellipsoid {
    double a, e2;  // semi-major axis in metres, first eccentricity squared

    // Radius of the parallel and of curvature in the meridian at latitude phi (radians). Snyder 1987, eq. 4-18, 4-20.
    double parallel_radius(double phi) const { return a * std::cos(phi) / std::sqrt(1 - e2 * sq(std::sin(phi))); }
    double meridian_radius(double phi) const { return a * (1 - e2) / std::pow(1 - e2 * sq(std::sin(phi)), 1.5); }

    // Area between the equator and latitude phi, per radian of longitude. Snyder 1987, eq. 3-12 times a² / 2.
    double zone_area(double phi) const {
        const double s = std::sin(phi), e = std::sqrt(e2);
        if (e == 0) return a * a * s;
        return a * a * (1 - e2) / 2 * (s / (1 - e2 * s * s) + std::atanh(e * s) / e);
    }

    static double sq(double x) { return x * x; }
};

}  // namespace

cell_sizes cell_sizes::planar(std::size_t rows, double dx, double dy) {
    cell_sizes sizes;
    sizes.dx_.assign(rows, dx);
    sizes.dy_.assign(rows, dy);
    sizes.area_.assign(rows, dx * dy);
    return sizes;
}

cell_sizes cell_sizes::geographic(std::size_t rows, double north, double dlon, double dlat, double semi_major,
                                  double inverse_flattening) {
    const double f = inverse_flattening > 0 ? 1 / inverse_flattening : 0;
    const ellipsoid earth{semi_major, f * (2 - f)};
    const double rad = pi / 180;
    const auto latitude = [&](double edge) { return std::clamp(north - edge * dlat, -90.0, 90.0) * rad; };

    cell_sizes sizes;
    for (std::size_t row = 0; row < rows; ++row) {
        const double top = latitude(static_cast<double>(row)), bottom = latitude(static_cast<double>(row) + 1);
        const double middle = (top + bottom) / 2;
        sizes.dx_.push_back(earth.parallel_radius(middle) * dlon * rad);
        sizes.dy_.push_back(earth.meridian_radius(middle) * (top - bottom));
        sizes.area_.push_back((earth.zone_area(top) - earth.zone_area(bottom)) * dlon * rad);
    }
    return sizes;
}

cell_sizes cell_sizes::by_row(std::vector<double> dx, std::vector<double> dy, std::vector<double> area) {
    cell_sizes sizes;
    sizes.dx_ = std::move(dx);
    sizes.dy_ = std::move(dy);
    sizes.area_ = std::move(area);
    return sizes;
}

double cell_sizes::distance(std::size_t row, std::size_t d) const {
    const auto step = neighbours[d];
    if (step.row == 0) return dx_[row];
    const bool beyond = (step.row < 0 && row == 0) || (step.row > 0 && row + 1 == dx_.size());
    const std::size_t other = beyond ? row : (step.row < 0 ? row - 1 : row + 1);
    const double dy = (dy_[row] + dy_[other]) / 2;
    return step.column == 0 ? dy : std::hypot((dx_[row] + dx_[other]) / 2, dy);
}

}  // namespace gdalmcp_hydrology
