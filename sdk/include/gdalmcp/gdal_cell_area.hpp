// gdalmcp/gdal_cell_area.hpp — true areas of the cells of a grid: on the ellipsoid, whatever the CRS. Header-only; link
// GDAL and PROJ.
#pragma once
#include <gdalmcp/ellipsoid.hpp>
#include <gdalmcp/gdal_transformation.hpp>

#include <algorithm>
#include <limits>
#include <mutex>
#include <numeric>

namespace gdalmcp::gdal {

// Area of single cells in m².
//   if (const auto areas = cell_areas::of(srs, geotransform, columns, rows)) areas->at(column + 0.5, row);
// Rows of a geographic grid are exact. Elsewhere the area follows from the map's scale (PROJ) at the nodes of a net
// over the cells' centres, interpolated between them; the net is refined until the midpoints between nodes are off by
// less than `tolerance` of the area. A cell that is cut by the outline of the map or by a pole has the area of its part
// on the ground, if its sides are longer than 10 km; a smaller one counts whole if its centre lies on the ground.
// Thread-safe.
class cell_areas {
public:
    static constexpr double tolerance = 1e-6;

    // geotransform in GDAL's order. nullopt without a CRS, for a local one, or where PROJ fails everywhere.
    static std::optional<cell_areas> of(const OGRSpatialReference& srs, const std::array<double, 6>& geotransform,
                                        int columns, int rows) {
        if (!measurable(srs, columns, rows)) return std::nullopt;
        const quiet silence;
        cell_areas areas{srs, geotransform, columns, rows};
        if (!areas.geographic_ && !areas.to_degrees_) return std::nullopt;
        if (areas.geographic_ && geotransform[2] == 0 && geotransform[4] == 0)
            areas.measure_rows();
        else if (!areas.measure_net())
            return std::nullopt;
        return areas;
    }

    // The smallest and the largest of 9 x 9 cells spread over the grid from edge to edge, m²; without those that the
    // outline of the map or a pole cuts. nullopt where there are none, and as of() has it.
    static std::optional<std::array<double, 2>> extremes(const OGRSpatialReference& srs,
                                                         const std::array<double, 6>& geotransform, int columns,
                                                         int rows) {
        if (!measurable(srs, columns, rows)) return std::nullopt;
        const quiet silence;
        const cell_areas areas{srs, geotransform, columns, rows};
        if (!areas.geographic_ && !areas.to_degrees_) return std::nullopt;
        constexpr int steps = 8;
        std::optional<std::array<double, 2>> found;
        for (int i = 0; i <= steps; ++i)
            for (int k = 0; k <= steps; ++k) {
                const double area = areas.measured(std::floor((columns - 1.0) * i / steps) + 0.5,
                                                   std::floor((rows - 1.0) * k / steps) + 0.5);
                if (!std::isfinite(area)) continue;
                if (!found) found = {area, area};
                found = {std::min((*found)[0], area), std::max((*found)[1], area)};
            }
        return found;
    }

    // Of the cell that holds a column coordinate in a row: column 0.5 is the middle of the first. For n cells side by
    // side: n times the area in the middle of them. NaN where the projection is not defined.
    double at(double column, std::int64_t row) const {
        if (!by_row_.empty()) return by_row_[static_cast<std::size_t>(row)];
        const double middle = static_cast<double>(row) + 0.5;
        const double v = interpolated(std::clamp(mesh_x(column), 0.0, 1.0 * cells_x_), mesh_y(middle));
        if (std::isfinite(v)) return v;
        const double whole = measured(column, middle);
        return std::isfinite(whole) || !(side_in_metres() > large_side) ? whole : part_of(column, middle);
    }

    // Of n cells of a row from a column on. NaN where the projection is not defined at a node of the net beside them.
    double of_run(int column, int n, std::int64_t row) const {
        if (!by_row_.empty()) return n * by_row_[static_cast<std::size_t>(row)];
        if (columns_ == 1) return n * at(0.5, row);
        const double y = mesh_y(static_cast<double>(row) + 0.5);
        const double from = mesh_x(column), to = mesh_x(static_cast<double>(column) + n);
        const auto mesh = [this](double x) { return std::clamp(static_cast<int>(x), 0, cells_x_ - 1); };
        if (mesh(from) == mesh(to)) return n * interpolated(std::midpoint(from, to), y);  // as of nearly all
        const int j = std::min(static_cast<int>(y), cells_y_ - 1);
        const auto along = [&](int node) { return sum_along(node, to) - sum_along(node, from); };
        return (along(j) * (1 - (y - j)) + along(j + 1) * (y - j)) * (columns_ - 1) / cells_x_;
    }

private:
    static bool measurable(const OGRSpatialReference& srs, int columns, int rows) {
        return !srs.IsEmpty() && !srs.IsLocal() && !srs.IsGeocentric() && columns >= 1 && rows >= 1;
    }

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
        if (to_degrees_) to_map_.reset(to_degrees_->GetInverse());
    }

    void measure_rows() {
        const auto latitude = [&](std::int64_t edge) {
            return std::clamp((transform_[3] + static_cast<double>(edge) * transform_[5]) * unit_, -quarter_turn,
                              quarter_turn);
        };
        by_row_.resize(static_cast<std::size_t>(rows_));
        for (int row = 0; row < rows_; ++row)
            by_row_[static_cast<std::size_t>(row)] = std::abs(
                (surface_.zone_area(latitude(row)) - surface_.zone_area(latitude(row + 1))) * transform_[1] * unit_);
    }

    bool measure_net() {
        constexpr std::size_t max_nodes = 20'000;  // a tenth of a second
        const int most_x = std::max(1, columns_ - 1), most_y = std::max(1, rows_ - 1);
        for (cells_x_ = std::min(4, most_x), cells_y_ = std::min(4, most_y);;) {
            net_.clear();
            for (int j = 0; j <= cells_y_; ++j)
                for (int i = 0; i <= cells_x_; ++i) net_.push_back(measured(column_of(i), row_of(j)));
            // Cells beside nodes that are not on the ground are measured one by one: the finer, the fewer.
            const auto known = std::count_if(net_.begin(), net_.end(), [](double v) { return std::isfinite(v); });
            const bool cut = known > 0 && static_cast<std::size_t>(known) < net_.size();
            const int x = !cut && fine_enough(0.5, 0) ? cells_x_ : std::min(2 * cells_x_, most_x);
            const int y = !cut && fine_enough(0, 0.5) ? cells_y_ : std::min(2 * cells_y_, most_y);
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
    // From meshes of the net to columns and rows and back; the first node is the middle of the first cell.
    double column_of(double x) const { return x / cells_x_ * (columns_ - 1) + 0.5; }
    double row_of(double y) const { return y / cells_y_ * (rows_ - 1) + 0.5; }
    double mesh_x(double column) const { return columns_ > 1 ? (column - 0.5) / (columns_ - 1) * cells_x_ : 0; }
    double mesh_y(double row) const { return rows_ > 1 ? (row - 0.5) / (rows_ - 1) * cells_y_ : 0; }
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

    // The integral of the interpolation along the nodes of one row of the net, from its first node to x, in meshes.
    double sum_along(int j, double x) const {
        const int i = std::clamp(static_cast<int>(x), 0, cells_x_ - 1);
        const auto k =
            static_cast<std::size_t>(j) * static_cast<std::size_t>(cells_x_ + 1) + static_cast<std::size_t>(i);
        const double u = x - i;
        return along_[k] + u * (net_[k] + u / 2 * (net_[k + 1] - net_[k]));
    }

    // Area of a cell around a point of the grid: of the parallelogram that the sides of a small cell span there, scaled
    // to the whole cell; of a large one over 3 × 3 places of it by Gauss' rule. NaN where it is not on the ground, a
    // large one with all its corners.
    double measured(double column, double row) const {
        const double metres = side_in_metres();
        if (!(metres > large_side)) return spanned(column, row, metres);
        if (corners_on_ground(column, row) < 4) return std::numeric_limits<double>::quiet_NaN();
        double sum = 0;
        constexpr std::array<double, 3> place{-0.38729833462074169, 0, 0.38729833462074169}, weight{5, 8, 5};
        for (std::size_t j = 0; j < 3; ++j)
            for (std::size_t i = 0; i < 3; ++i)
                sum += weight[i] * weight[j] * spanned(column + place[i], row + place[j], metres);
        return sum / (18 * 18);
    }
    // Of what lies on the ground of a large cell with some of its corners, by the points of a Fibonacci lattice, no two
    // of which share a column or a row. NaN where nothing does.
    double part_of(double column, double row) const {
        constexpr double none = std::numeric_limits<double>::quiet_NaN();
        if (corners_on_ground(column, row) == 0) return none;
        const double metres = side_in_metres();
        const auto [points, step] = metres > 4 * large_side ? std::pair{233, 144} : std::pair{55, 34};
        double sum = 0;
        for (int k = 0; k < points; ++k) {
            const double area =
                spanned(column + (k + 0.5) / points - 0.5, row + (k * step % points + 0.5) / points - 0.5, metres);
            if (std::isfinite(area)) sum += area;
        }
        return sum > 0 ? sum / points : none;
    }
    int corners_on_ground(double column, double row) const {
        const quiet silence;
        const std::scoped_lock one_at_a_time{*proj_};
        int corners = 0;
        for (const double i : {-0.5, 0.5})
            for (const double j : {-0.5, 0.5}) corners += on_ground(column + i, row + j);
        return corners;
    }
    static constexpr double large_side = 10'000;  // m
    static constexpr double quarter_turn = 1.57079632679489661923;
    double side_in_metres() const {
        const double side = std::sqrt(std::abs(transform_[1] * transform_[5] - transform_[2] * transform_[4]));
        return geographic_ ? side * unit_ * surface_.a : side * metres_per_unit();
    }
    double metres_per_unit() const { return to_degrees_ ? to_degrees_->GetSourceCS()->GetLinearUnits() : 1; }

    // Whether a point of the grid has one place on the Earth, and that place this point: PROJ continues some maps
    // beyond their outline. Maps of straight meridians and parallels repeat themselves, and hold the ground a turn
    // away. REQUIRES: proj_ is locked.
    bool on_ground(double column, double row) const {
        if (!to_map_) return true;  // in degrees
        const double x0 = transform_[0] + column * transform_[1] + row * transform_[2],
                     y0 = transform_[3] + column * transform_[4] + row * transform_[5];
        double x = x0, y = y0;
        if (!to_degrees_->Transform(1, &x, &y)) return false;
        const double elsewhere = y + (y > 0 ? -0.7 : 0.7) / unit_;
        std::array<double, 2> back_x{x, x}, back_y{y, elsewhere};
        if (!to_map_->Transform(1, back_x.data(), back_y.data())) return false;
        const double near = 0.01 * std::sqrt(std::abs(transform_[1] * transform_[5] - transform_[2] * transform_[4]));
        if (!(std::abs(back_y[0] - y0) <= near)) return false;
        if (std::abs(back_x[0] - x0) <= near) return true;
        return to_map_->Transform(1, &back_x[1], &back_y[1]) && std::abs(back_x[1] - back_x[0]) <= near;
    }

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
            if (!on_ground(column, row) || !to_degrees_->Transform(4, x.data(), y.data())) return none;
        }
        std::array<std::array<double, 3>, 4> p;
        for (std::size_t i = 0; i < 4; ++i) {
            if (!std::isfinite(x[i]) || !std::isfinite(y[i]) || std::abs(y[i] * unit_) > quarter_turn) return none;
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
    transformation to_degrees_, to_map_;
    std::unique_ptr<std::mutex> proj_ = std::make_unique<std::mutex>();
    std::vector<double> by_row_;
    int cells_x_ = 1, cells_y_ = 1;  // of the net
    std::vector<double> net_;        // areas at its nodes
    std::vector<double> along_;      // integrals of net_ from the left end of each row of nodes, in meshes
};

}  // namespace gdalmcp::gdal
