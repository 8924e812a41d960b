// gdal_common_window.hpp — the cells that two rasters have in common: grids of the same cells, whose extents may
// differ.
#pragma once
#include <gdalmcp/gdal_blocks.hpp>

#include <string>
#include <vector>

#include "datasets/gdal_grid.hpp"

namespace gdalmcp_raster {

using namespace gdalmcp_datasets;

struct common_window {
    gdalmcp::gdal::window first, second;  // the same cells, as columns and rows of either raster
    std::vector<std::string> said;        // assumptions about the CRS
};

// What had to be assumed for both rasters to be in one CRS: nothing, or that one without a CRS, or with one that names
// no datum, is in that of the other. Refused with `hint`, naming both grids: two CRSs.
std::vector<std::string> require_same_crs(const named_grid& first, const named_grid& second, const std::string& hint);

// What had to be assumed for the heights of both to be of one surface: nothing, or that a raster whose CRS names none
// has those of the other. Refused, naming both: heights above two surfaces.
std::vector<std::string> require_same_heights(const named_grid& first, const named_grid& second);

struct cell_offset {
    int column = 0, row = 0;        // of the first raster: where the second begins, also outside the first
    std::vector<std::string> said;  // assumptions about the CRS
};

// Refused, naming both grids and the call of raster_reproject that brings the second to the first: another CRS or cell
// size, a shift by a fraction of a cell (more than a thousandth), another direction of rows. A raster without a CRS, or
// with one that names no datum, is taken to be in the CRS of the other where the projection is the same. whole: that
// call keeps the cells of the second beyond the first.
cell_offset cell_offset_of(const named_grid& first, const named_grid& second, bool whole);

// Whether the two have one CRS and cells of one size and direction, shifted by whole cells: then cells of the one are
// cells of the other, and resampling copies them.
bool on_same_cells(const grid& a, const grid& b);

// Refused as by cell_offset_of(); refused too: extents that do not overlap.
common_window common_window_of(const named_grid& first, const named_grid& second);

// The window of a raster as a dataset of its own, which reads from the source: the source must outlive it. nullptr
// where the window is all of the source. Cells of the window outside the source are nodata, or 0 without one.
gdalmcp::gdal::dataset_ptr windowed(GDALDataset& source, const gdalmcp::gdal::window& w);

}  // namespace gdalmcp_raster
