// gdalmcp/gdal_cell_area.hpp — true areas of the cells of a grid: on the ellipsoid, whatever the CRS. Header-only; link
// GDAL and PROJ.
#pragma once
#include <gdalmcp/ellipsoid.hpp>
#include <gdalmcp/gdal_transformation.hpp>

#include <algorithm>
#include <limits>
#include <mutex>

namespace gdalmcp::gdal {

// Area of single cells in m².
//   if (const auto areas = cell_areas::of(srs, geotransform, columns, rows)) areas->at(column + 0.5, row);
// Rows of a geographic grid are exact. Elsewhere the area follows from the map's scale (PROJ) at the nodes of a net
// over the grid, interpolated between them; the net is refined until the midpoints between nodes are off by less than
// `tolerance` of the area. Thread-safe.
class cell_areas {
public:
    static constexpr double tolerance = 1e-6;

    // geotransform in GDAL's order. nullopt without a CRS, for a local one, or where PROJ fails everywhere.
    static std::optional<cell_areas> of(const OGRSpatialReference& srs, const std::array<double, 6>& geotransform,
                                        int columns, int rows) {
        if (srs.IsEmpty() || srs.IsLocal() || srs.IsGeocentric() || columns < 1 || rows < 1) return std::nullopt;
        const quiet silence;
        cell_areas areas{srs, geotransform, columns, rows};
        if (!areas.geographic_ && !areas.to_degrees_) return std::nullopt;
        if (areas.geographic_ && geotransform[2] == 0 && geotransform[4] == 0)
            areas.measure_rows();
        else if (!areas.measure_net())
            return std::nullopt;
        return areas;
    }

    // Of the cell that holds a column coordinate in a row: column 0.5 is the middle of the first. For n cells side by
    // side: n times the area in the middle of them. NaN where the projection is not defined.
    double at(double column, std::int64_t row) const {
        if (!by_row_.empty()) return by_row_[static_cast<std::size_t>(row)];
        const double x = std::clamp(column / columns_, 0.0, 1.0) * cells_x_,
                     y = std::clamp((static_cast<double>(row) + 0.5) / rows_, 0.0, 1.0) * cells_y_;
        const double v = interpolated(x, y);
        return std::isfinite(v) ? v : measured(column, static_cast<double>(row) + 0.5);
    }

    // Of all cells of a row left of a column, so that before(b, row) - before(a, row) is the area of columns a to b
    // - 1. NaN where the projection is not defined at a node of the net beside the row.
    double before(int column, std::int64_t row) const {
        if (!by_row_.empty()) return column * by_row_[static_cast<std::size_t>(row)];
        const double x = static_cast<double>(column) / columns_ * cells_x_,
                     y = std::clamp((static_cast<double>(row) + 0.5) / rows_, 0.0, 1.0) * cells_y_;
        const int j = std::min(static_cast<int>(y), cells_y_ - 1);
        return (sum_along(j, x) * (1 - (y - j)) + sum_along(j + 1, x) * (y - j)) * columns_ / cells_x_;
    }

private:
    cell_areas(const OGRSpatialReference& srs, const std::array<double, 6>& geotransform, int columns, int rows)
        : transform_{geotransform},
          columns_{columns},
          rows_{rows},
          surface_{srs.GetSemiMajor(), srs.GetInvFlattening()},
          geographic_{srs.IsGeographic() != FALSE} {
        unit_ = srs.GetAngularUnits();
        if (geographic_) return;
        auto own = own_geographic_of(srs);
        if (!own) return;
        unit_ = own.crs->GetAngularUnits();
        to_degrees_ = std::move(own.way);
    }

    void measure_rows() {
        const auto latitude = [&](std::int64_t edge) {
            constexpr double quarter = 1.57079632679489661923;
            return std::clamp((transform_[3] + static_cast<double>(edge) * transform_[5]) * unit_, -quarter, quarter);
        };
        by_row_.resize(static_cast<std::size_t>(rows_));
        for (int row = 0; row < rows_; ++row)
            by_row_[static_cast<std::size_t>(row)] = std::abs(
                (surface_.zone_area(latitude(row)) - surface_.zone_area(latitude(row + 1))) * transform_[1] * unit_);
    }

    bool measure_net() {
        constexpr std::size_t max_nodes = 20'000;  // a tenth of a second
        for (cells_x_ = std::min(4, columns_), cells_y_ = std::min(4, rows_);;) {
            net_.clear();
            for (int j = 0; j <= cells_y_; ++j)
                for (int i = 0; i <= cells_x_; ++i) net_.push_back(measured(column_of(i), row_of(j)));
            const int x = fine_enough(0.5, 0) ? cells_x_ : std::min(2 * cells_x_, columns_);
            const int y = fine_enough(0, 0.5) ? cells_y_ : std::min(2 * cells_y_, rows_);
            if ((x == cells_x_ && y == cells_y_) ||
                static_cast<std::size_t>(x) * static_cast<std::size_t>(y) > max_nodes)
                break;
            cells_x_ = x;
            cells_y_ = y;
        }
        along_.assign(net_.size(), 0);
        for (std::size_t j = 0, k = 0; j <= static_cast<std::size_t>(cells_y_); ++j, ++k)
            for (int i = 0; i < cells_x_; ++i, ++k) along_[k + 1] = along_[k] + (net_[k] + net_[k + 1]) / 2;
        return std::any_of(net_.begin(), net_.end(), [](double v) { return std::isfinite(v); });
    }
    double column_of(double x) const { return x / cells_x_ * columns_; }
    double row_of(double y) const { return y / cells_y_ * rows_; }
    // Midpoints between nodes along one axis, of at most about 32 × 32 meshes.
    bool fine_enough(double dx, double dy) const {
        for (int j = 0; j < cells_y_; j += std::max(1, cells_y_ / 32))
            for (int i = 0; i < cells_x_; i += std::max(1, cells_x_ / 32)) {
                const double guess = interpolated(i + dx, j + dy), found = measured(column_of(i + dx), row_of(j + dy));
                if (std::isfinite(guess) && std::isfinite(found) && std::abs(guess - found) > tolerance * found)
                    return false;
            }
        return true;
    }

    double interpolated(double x, double y) const {
        const int i = std::min(static_cast<int>(x), cells_x_ - 1), j = std::min(static_cast<int>(y), cells_y_ - 1);
        const double u = x - i, v = y - j;
        const auto node = [&](int di, int dj) {
            return net_[static_cast<std::size_t>(j + dj) * static_cast<std::size_t>(cells_x_ + 1) +
                        static_cast<std::size_t>(i + di)];
        };
        return (node(0, 0) * (1 - u) + node(1, 0) * u) * (1 - v) + (node(0, 1) * (1 - u) + node(1, 1) * u) * v;
    }

    // The integral of the interpolation along the nodes of one row of the net, from its left end to x, in meshes.
    double sum_along(int j, double x) const {
        const int i = std::min(static_cast<int>(x), cells_x_ - 1);
        const auto k =
            static_cast<std::size_t>(j) * static_cast<std::size_t>(cells_x_ + 1) + static_cast<std::size_t>(i);
        const double u = x - i;
        return along_[k] + u * (net_[k] + u / 2 * (net_[k + 1] - net_[k]));
    }

    // Area of a cell around a point of the grid: of the parallelogram that the sides of a small cell span there, scaled
    // to the whole cell; over 3 × 3 places of the cell by Simpson's rule where it is large.
    double measured(double column, double row) const {
        const double side = std::sqrt(std::abs(transform_[1] * transform_[5] - transform_[2] * transform_[4]));
        const double metres = geographic_ ? side * unit_ * surface_.a : side * metres_per_unit();
        constexpr double large = 10'000;
        if (!(metres > large)) return spanned(column, row, metres);
        double sum = 0;
        constexpr std::array<double, 3> weight{1, 4, 1};
        for (int j = -1; j <= 1; ++j)
            for (int i = -1; i <= 1; ++i)
                sum += weight[static_cast<std::size_t>(i + 1)] * weight[static_cast<std::size_t>(j + 1)] *
                       spanned(column + 0.5 * i, row + 0.5 * j, metres);
        return sum / 36;
    }
    double metres_per_unit() const { return to_degrees_ ? to_degrees_->GetSourceCS()->GetLinearUnits() : 1; }

    double spanned(double column, double row, double cell_metres) const {
        const double half = 50 / cell_metres;  // cells that are about 50 m: far above rounding, far below curvature
        std::array<double, 4> x{}, y{};
        const std::array<std::array<double, 2>, 4> places{
            {{column - half, row}, {column + half, row}, {column, row - half}, {column, row + half}}};
        for (std::size_t i = 0; i < 4; ++i) {
            x[i] = transform_[0] + places[i][0] * transform_[1] + places[i][1] * transform_[2];
            y[i] = transform_[3] + places[i][0] * transform_[4] + places[i][1] * transform_[5];
        }
        constexpr double none = std::numeric_limits<double>::quiet_NaN();
        if (to_degrees_) {
            const quiet silence;
            const std::scoped_lock one_at_a_time{*proj_};
            if (!to_degrees_->Transform(4, x.data(), y.data())) return none;
        }
        std::array<std::array<double, 3>, 4> p;
        for (std::size_t i = 0; i < 4; ++i) {
            if (!std::isfinite(x[i]) || !std::isfinite(y[i])) return none;
            p[i] = surface_.point(x[i] * unit_, y[i] * unit_);
        }
        const auto side = [&](std::size_t from, std::size_t to) {
            return std::array{p[to][0] - p[from][0], p[to][1] - p[from][1], p[to][2] - p[from][2]};
        };
        const auto a = side(0, 1), b = side(2, 3);
        const double area =
            std::hypot(a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]) /
            (4 * half * half);
        return area > 0 ? area : none;
    }

    std::array<double, 6> transform_;
    int columns_, rows_;
    ellipsoid surface_;
    bool geographic_;
    double unit_ = 1;  // radians per unit of longitude and latitude
    transformation to_degrees_;
    std::unique_ptr<std::mutex> proj_ = std::make_unique<std::mutex>();
    std::vector<double> by_row_;
    int cells_x_ = 1, cells_y_ = 1;  // of the net
    std::vector<double> net_;        // areas at its nodes
    std::vector<double> along_;      // integrals of net_ from the left end of each row of nodes, in meshes
};

}  // namespace gdalmcp::gdal
