#include "cell_sizes.hpp"

#include <gdalmcp/ellipsoid.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace gdalmcp_hydrology {
namespace {

constexpr double pi = 3.14159265358979323846;

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
    const gdalmcp::ellipsoid earth{semi_major, inverse_flattening};
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
