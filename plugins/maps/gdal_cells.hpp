// gdal_cells.hpp — a raster on the pixels of a map.
#pragma once
#include "gdal_map_frame.hpp"
#include "legend.hpp"
#include "raster/gdal_drawing.hpp"

namespace gdalmcp_maps {

// The part of a call's progress that a layer takes.
struct span {
    double from = 0, to = 1;
};

// `below`, `above`: cells lie beyond the ends of the colours.
struct map_cells : gdalmcp_raster::picture {
    bool below = false, above = false;
};

// Resampled to the map's pixels: nearest for classes, averages where many cells fall into a pixel, bilinear otherwise;
// overviews are read where they are. Cells without data are transparent. Few whole numbers that declare no meaning are
// drawn as classes.
map_cells cells_on_map(gdalmcp::call& call, GDALDataset& source, const std::vector<int>& bands, const map_frame& frame,
                       const span& part);

legend_block legend_of(const map_cells&, GDALDataset& source, const std::vector<int>& bands, const std::string& title);

}  // namespace gdalmcp_maps
