// gdal_virtual_mosaic.hpp — a mosaic as a VRT, which names its rasters and holds no cells.
#pragma once
#include "gdal_mosaic_cells.hpp"

namespace gdalmcp_raster {

// Of rasters whose grids differ, in gdalbuildvrt's words.
struct resampled_view {
    std::string resolution;  // highest, lowest, average
    std::string method;      // -r
};

struct virtual_mosaic {
    const std::vector<mosaic_source>& sources;
    const mosaic_layout& layout;
    const grid& on;
    const mosaic_meaning& meaning;
    bool stacked = false;
    bool last = false;                             // of several values the last raster's counts, else the first's
    std::optional<resampled_view> resampled = {};  // as the VRT is read; else all cells coincide
};

// Refused, naming the two values: rasters that differ in data type or nodata value. Refused too: grids that do not
// coincide, unless they are resampled; rows from south to north, stacked rasters of several bands.
void require_virtual(const virtual_mosaic& m);

// Writes the VRT to `path`, the path of an output: the names of its rasters are relative to the folder it will be
// published in, or absolute in a managed result. describe: completes the bands' metadata.
void write_virtual(const virtual_mosaic& m, const std::string& path, const std::function<void(GDALDataset&)>& describe);

// Opens it as it will be read there.
gdalmcp::gdal::dataset_ptr open_virtual(const std::string& path);

}  // namespace gdalmcp_raster
