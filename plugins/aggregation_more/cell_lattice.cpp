#include "cell_lattice.hpp"

#include <cmath>

namespace gdalmcp_aggregation_more {
namespace {

constexpr double root_of_three = 1.7320508075688772;

std::int64_t floor_of(double v) { return static_cast<std::int64_t>(std::floor(v)); }

}  // namespace

double cell_lattice::row_step() const { return shape_ == cell_shape::square ? width_ : width_ * root_of_three / 2; }

double cell_lattice::area() const { return width_ * row_step(); }

cell_lattice::point cell_lattice::centre(const cell_index& cell) const {
    const auto row = static_cast<double>(cell.row), column = static_cast<double>(cell.column);
    if (shape_ == cell_shape::square) return {(column + 0.5) * width_, (row + 0.5) * width_};
    return {(column + (cell.row % 2 != 0 ? 0.5 : 0.0)) * width_, row * row_step()};
}

// A hexagon holds what is nearer to its centre than to others; the centre is in the row above or below.
cell_index cell_lattice::of(double x, double y) const {
    if (shape_ == cell_shape::square) return {floor_of(y / width_), floor_of(x / width_)};
    cell_index nearest;
    double least = INFINITY;
    const auto below = floor_of(y / row_step());
    for (const auto row : {below, below + 1}) {
        const double shift = row % 2 != 0 ? 0.5 : 0.0;
        const cell_index cell{row, floor_of(x / width_ - shift + 0.5)};
        const auto [cx, cy] = centre(cell);
        const double distance = std::hypot(x - cx, y - cy);
        if (distance < least) least = distance, nearest = cell;
    }
    return nearest;
}

std::vector<cell_lattice::point> cell_lattice::corners(const cell_index& cell) const {
    if (shape_ == cell_shape::square) {
        const auto corner = [&](std::int64_t up, std::int64_t right) {
            return point{static_cast<double>(cell.column + right) * width_,
                         static_cast<double>(cell.row + up) * width_};
        };
        return {corner(0, 0), corner(0, 1), corner(1, 1), corner(1, 0)};
    }
    const auto [x, y] = centre(cell);
    const double half = width_ / 2, side = width_ / root_of_three;
    return {{x, y - side}, {x + half, y - side / 2}, {x + half, y + side / 2},
            {x, y + side}, {x - half, y + side / 2}, {x - half, y - side / 2}};
}

cell_lattice::block cell_lattice::around(const point& low, const point& high) const {
    auto first = of(low[0], low[1]), last = of(high[0], high[1]);
    if (shape_ == cell_shape::hexagon) --first.row, --first.column, ++last.row, ++last.column;
    return {first, last};
}

}  // namespace gdalmcp_aggregation_more
