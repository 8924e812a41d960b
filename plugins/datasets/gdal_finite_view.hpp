// gdal_finite_view.hpp — rasters whose NaN and infinite cells GDAL's warper can take. It leaves out what one mark says,
// a nodata value or a mask; other cells that are no finite number spoil every cell of the result that they touch.
#pragma once
#include <gdalmcp/gdal_blocks.hpp>

#include <functional>
#include <vector>

namespace gdalmcp_datasets {

// Whether every band holds floating-point numbers: others cannot hold such cells.
bool holds_only_floats(GDALDataset& raster);

struct unmarked_cells {
    bool nan = false;       // where NaN is not the nodata value; under a mask, too
    bool infinite = false;  // that no mark hides
};

// Reads all of the part. REQUIRES: holds_only_floats(). progress: fraction done; may throw.
unmarked_cells unmarked_cells_of(GDALDataset& raster, const gdalmcp::gdal::window& part,
                                 const std::function<void(double)>& progress);

// These bands of the raster, read as NaN, their nodata value, where they have no data or no finite number. It has the
// raster's georeferencing, no mask, and no description, where GDAL would write it to. Whole numbers are read as the
// floating-point numbers that hold them. The raster stays open while the view is.
gdalmcp::gdal::dataset_ptr finite_view(GDALDataset& raster, const std::vector<int>& bands);

// Among the cells that views of this process were read for so far; NaN where a nodata value or a mask says otherwise.
unmarked_cells met_by_finite_views();

}  // namespace gdalmcp_datasets
