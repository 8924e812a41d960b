#include "gdal_cell_size.hpp"

#include <gdalmcp/gdal_cell_area.hpp>

#include <algorithm>
#include <cmath>

namespace gdalmcp_datasets {

std::optional<cell_ruler> cell_ruler::of(const grid& on) {
    if (on.crs.IsEmpty() || on.crs.IsLocal()) return std::nullopt;
    auto own = gdalmcp::gdal::own_geographic_of(on.crs);
    if (!own) return std::nullopt;
    cell_ruler r;
    r.transformation_ = std::move(own.way);
    r.geotransform_ = on.geotransform;
    r.unit_ = own.crs->GetAngularUnits() * 180 / 3.14159265358979323846;
    const double inverse = own.crs->GetInvFlattening();
    geod_init(&r.earth_, own.crs->GetSemiMajor(), inverse > 0 ? 1 / inverse : 0);
    return r;
}

// x, y: four points in columns and rows, converted to longitudes and latitudes.
bool cell_ruler::to_degrees(std::array<double, 4>& x, std::array<double, 4>& y) const {
    const gdalmcp::gdal::quiet silence;
    const auto& g = geotransform_;
    for (std::size_t i = 0; i < 4; ++i) {
        const double column = x[i], row = y[i];
        x[i] = g[0] + column * g[1] + row * g[2];
        y[i] = g[3] + column * g[4] + row * g[5];
    }
    if (!transformation_->Transform(4, x.data(), y.data())) return false;
    for (std::size_t i = 0; i < 4; ++i) x[i] *= unit_, y[i] *= unit_;
    return true;
}

std::optional<cell_size> cell_ruler::size(double column, double row) const {
    // West, east, north and south side.
    std::array<double, 4> x{column, column + 1, column + 0.5, column + 0.5}, y{row + 0.5, row + 0.5, row, row + 1};
    if (!to_degrees(x, y)) return std::nullopt;
    cell_size size;
    geod_inverse(&earth_, y[0], x[0], y[1], x[1], &size.width, nullptr, nullptr);
    geod_inverse(&earth_, y[2], x[2], y[3], x[3], &size.height, nullptr, nullptr);
    if (!(size.width > 0) || !(size.height > 0) || !std::isfinite(size.area())) return std::nullopt;
    return size;
}

std::optional<double> cell_ruler::area(double column, double row) const {
    std::array<double, 4> x{column, column + 1, column + 1, column}, y{row + 1, row + 1, row, row};
    if (!to_degrees(x, y)) return std::nullopt;
    double area = 0;
    geod_polygonarea(&earth_, y.data(), x.data(), 4, &area, nullptr);
    if (!(std::abs(area) > 0)) return std::nullopt;
    return std::abs(area);
}

std::optional<std::array<double, 2>> length_ratios(const grid& on) {
    const auto cells = on.crs.IsProjected() ? cell_ruler::of(on) : std::nullopt;
    const double metre = on.crs.GetLinearUnits();
    std::optional<std::array<double, 2>> found;
    for (const double row : {0.0, on.height / 2.0, on.height - 1.0})
        for (const double column : {0.0, on.width / 2.0, on.width - 1.0}) {
            const auto size = cells ? cells->size(column, row) : std::nullopt;
            if (!size) continue;
            const auto [low, high] =
                std::minmax({on.cell_width() * metre / size->width, on.cell_height() * metre / size->height});
            if (!found) found = {low, high};
            found = {std::min((*found)[0], low), std::max((*found)[1], high)};
        }
    return found;
}

std::optional<cell_size> cell_size_of(const grid& on, double column, double row) {
    const auto cells = cell_ruler::of(on);
    return cells ? cells->size(column, row) : std::nullopt;
}

std::string unequal_cells(const grid& on) {
    const auto area = gdalmcp::gdal::cell_areas::extremes(on.crs, on.geotransform, on.width, on.height);
    if (!area) return {};
    return unequal_cells(
        (*area)[0], (*area)[1], "mean, std and shares",
        "for means by area use weighted_mean with weight_by_area in aggregate_zonal, or an equal-area CRS");
}

std::string unequal_cells(double smallest, double largest, const std::string& counting, const std::string& instead) {
    constexpr double noticed = 1.05;
    if (largest < noticed * smallest) return {};
    return "the largest cell covers " + gdalmcp::gdal::number_text(std::round(100 * largest / smallest) / 100) +
           " times the ground of the smallest, but every cell counts alike in " + counting + "; " + instead;
}

}  // namespace gdalmcp_datasets
