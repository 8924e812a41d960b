// gdal_band_cells.hpp — the cells of bands in their own data type, read along the blocks of the file, for statistics.
#pragma once
#include "gdal_cell_type.hpp"
#include "gdal_zone_mask.hpp"
#include "statistics.hpp"

#include <functional>

namespace gdalmcp_raster {

// The selection to read of a raster: a window, its cells in a zone, and of those every n-th row and column.
struct selection {
    window w;
    const zone_mask* zone = nullptr;  // its bounds are the window
    int stride = 1;
};

// The statistics requested of each band.
struct wanted {
    std::vector<double> percentiles;
    std::function<std::size_t(std::size_t)>
        bins;  // of the histogram of the i-th band, once its range is known; none = no histogram
};

// Runs the cells of bands through their statistics: the first pass, end(), look_for(), and every further pass. Cells
// are read once where they fit in memory, and again for each pass where they do not. progress: fraction done; may
// throw.
void measure(GDALDataset& source, const std::vector<int>& bands, const selection& of,
             const std::vector<statistics*>& into, const wanted& what, const std::function<void(double)>& progress);

}  // namespace gdalmcp_raster
