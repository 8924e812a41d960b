// mosaic_layout.hpp — the grid of a mosaic, and where its rasters lie on it.
#pragma once
#include <array>
#include <cstdint>
#include <vector>

namespace gdalmcp_raster {

// North-up cells in the units of a CRS: the upper left corner, the size of a cell (positive), the number of cells.
struct lattice {
    double x = 0, y = 0, cell_width = 1, cell_height = 1;
    std::int64_t columns = 0, rows = 0;
};

// The cells of the mosaic that a raster covers. aligned: each of its cells is one of the mosaic's, less than a
// thousandth of a cell apart, the tolerance for the same grid from different programs; else the cells it touches.
struct placement {
    std::int64_t column = 0, row = 0, columns = 0, rows = 0;
    bool aligned = true;
};

// Whether two rasters cover a cell of the mosaic together.
inline bool share_cells(const placement& a, const placement& b) {
    return a.column < b.column + b.columns && b.column < a.column + a.columns && a.row < b.row + b.rows &&
           b.row < a.row + a.rows;
}

struct mosaic_layout {
    lattice grid;
    std::vector<placement> places;  // in the order of the rasters
};

// Whether cells are of one size: over the longer raster they add up to less than a thousandth of a cell of difference.
bool same_cells(const lattice& a, const lattice& b);

// The smallest grid around all rasters with cells of this size, on the lattice of the first raster that has such cells;
// if none has, from the upper left corner of them all.
mosaic_layout layout_of(const std::vector<lattice>& rasters, std::array<double, 2> cell);

// Whether every cell of the grid belongs to a raster.
bool gapless(const mosaic_layout& layout);

}  // namespace gdalmcp_raster
