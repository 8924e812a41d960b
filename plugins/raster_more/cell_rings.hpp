// cell_rings.hpp — polygons whose edges follow the edges of cells: what they enclose, by their corners alone.
#pragma once
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <vector>

namespace gdalmcp_raster_more {

// Column and row edges of a grid, from 0 to its width and height.
struct cell_corner {
    int column = 0, row = 0;
};

// The first corner again at the end; of two neighbours one coordinate differs.
using cell_ring = std::vector<cell_corner>;

// Integral of before(column, row) along the ring, over the rows each of its vertical edges passes.
template <class T, class Before>
T ring_integral(const cell_ring& ring, Before&& before) {
    T sum = 0;
    for (std::size_t i = 1; i < ring.size(); ++i) {
        const auto &from = ring[i - 1], &to = ring[i];
        for (int row = from.row; row < to.row; ++row) sum += before(from.column, row);
        for (int row = to.row; row < from.row; ++row) sum -= before(from.column, row);
    }
    return std::abs(sum);
}

// What an exterior ring and its holes enclose, in the unit of before(column, row): the sum over the cells of a row left
// of a column edge. For the number of cells it is the column itself; for areas see cell_areas::before().
template <class T, class Before>
T enclosed(const std::vector<cell_ring>& rings, Before&& before) {
    T sum = 0;
    for (std::size_t i = 0; i < rings.size(); ++i) sum += (i == 0 ? 1 : -1) * ring_integral<T>(rings[i], before);
    return sum;
}

}  // namespace gdalmcp_raster_more
