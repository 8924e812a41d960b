// cell_lattice.hpp — equal cells that fill a plane: squares or regular hexagons, placed by their size alone, so that
// the same size gives the same cells whatever lies in them.
#pragma once
#include <array>
#include <compare>
#include <cstdint>
#include <vector>

namespace gdalmcp_aggregation_more {

enum class cell_shape {
    square,
    hexagon  // two sides run north to south; the centres of every other row are moved east by half a width
};

struct cell_index {
    std::int64_t row = 0, column = 0;  // rows run north, columns east
    auto operator<=>(const cell_index&) const = default;
};

class cell_lattice {
public:
    using point = std::array<double, 2>;

    // width: of a square its side; of a hexagon the distance of opposite sides. A square's corner, or a hexagon's
    // centre, lies at 0, 0.
    cell_lattice(cell_shape shape, double width) : shape_{shape}, width_{width} {}

    // A point on a side belongs to one of the cells beside it: of squares to the one north and east of it.
    cell_index of(double x, double y) const;
    point centre(const cell_index& cell) const;
    std::vector<point> corners(const cell_index& cell) const;  // counter-clockwise, not closed
    double area() const;                                       // in the plane

    // The first and the last row and column of the cells that reach into a box.
    struct block {
        cell_index first, last;
        double cells() const {
            return static_cast<double>(last.row - first.row + 1) * static_cast<double>(last.column - first.column + 1);
        }
    };
    block around(const point& low, const point& high) const;

private:
    double row_step() const;

    cell_shape shape_;
    double width_;
};

}  // namespace gdalmcp_aggregation_more
