// gdal_grid.hpp — where the cells of a raster lie: size, geotransform and CRS of a dataset.
#pragma once
#include <gdalmcp/gdal_extent.hpp>

#include <array>
#include <string>
#include <vector>

namespace gdalmcp_datasets {

struct grid {
    int width = 0, height = 0;
    std::array<double, 6> geotransform{0, 1, 0, 0, 0, 1};  // GDAL's order: x0, dx/col, dx/row, y0, dy/col, dy/row
    bool georeferenced = false;                            // the geotransform was found in the data
    OGRSpatialReference crs;                               // x first; empty = none

    // The same in affine order a b c d e f: x = a col + b row + c, y = d col + e row + f.
    std::vector<double> affine() const;
    // The smallest box around all cells, in crs.
    OGREnvelope extent() const;
    // Length of a cell's sides in the units of crs.
    double cell_width() const;
    double cell_height() const;
    bool rotated() const;
    bool south_up() const { return georeferenced && !rotated() && geotransform[5] > 0; }  // row 0 is the southernmost
    bool mirrored() const { return georeferenced && !rotated() && geotransform[1] < 0; }  // column 0 is the easternmost
};

grid grid_of(GDALDataset& dataset);

// The same with the horizontal part of its CRS alone: for values that are no heights above what the vertical part
// names.
grid without_heights(grid on);

// Whether both have the same size and CRS (one without a CRS fits any, a vertical part in one of them does not count)
// and geotransforms that place no cell more than a thousandth of a cell apart: the tolerance for the same grid from
// different programs.
bool same_grid(const grid& a, const grid& b);

// A grid and the raster that has it, for messages.
struct named_grid {
    const std::string& path;
    const grid& on;
};

// "a.tif has 3 x 2 cells of 30 by 30 at 289000, 9121000 in EPSG:31985".
std::string grid_text(const named_grid& g);

// Fails the call on two grids of which one alone is georeferenced.
void require_both_placed(const named_grid& first, const named_grid& second);

// Fails the call unless same_grid(), naming both grids.
void require_same_grid(const named_grid& first, const named_grid& second);

// The expected properties of an output on this grid when the host re-opens it. dtype: GDAL's name of the type of every
// band.
gdalmcp::expected_output expected_raster(const grid& on, std::int64_t bands, const std::string& dtype);

}  // namespace gdalmcp_datasets
