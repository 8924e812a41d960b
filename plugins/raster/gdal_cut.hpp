// gdal_cut.hpp — the part of a raster that a mask selects, as a new raster: same cells, same values, all others marked
// as without data.
#pragma once
#include "gdal_zone_mask.hpp"

#include <functional>

namespace gdalmcp_raster {

struct cut_counts {
    std::int64_t selected = 0;  // cells the mask selects
    std::int64_t missing = 0;   // of them without data in the first band
    std::string outside;        // how the others are marked: none, nodata, alpha, mask
    std::optional<double> nodata;
};

// Fraction done in [0, 1]; throws to stop.
using progress = std::function<void(double)>;

// Writes `bands` of `source` within zone.bounds() as a GeoTIFF at `path`. Cells outside the zone get the nodata value
// of the bands; without one alpha 0; else a value that no cell of the window has, declared as nodata; where none is
// free, or the source has a mask band, an internal mask. Read and written in strips: memory does not grow with the
// window.
cut_counts cut(GDALDataset& source, const zone_mask& zone, const std::vector<int>& bands, const std::string& path,
               const progress& report);

// Reads rows [first, first + rows) of a window of a band as doubles, 255 in `valid` where the band's mask says data.
void read_strip(GDALRasterBand& band, const window& w, int first, int rows, std::vector<double>& values,
                std::vector<unsigned char>& valid);

// Rows of a strip so that it holds about four million cells.
int strip_rows(const window& w);

}  // namespace gdalmcp_raster
