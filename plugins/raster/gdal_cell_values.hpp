// gdal_cell_values.hpp — the values of bands at single cells.
#pragma once
#include <gdal_priv.h>

#include <functional>
#include <optional>
#include <vector>

#include "statistics.hpp"

namespace gdalmcp_raster {

// values[cell][band], scale and offset applied; nullopt for nodata, masked, NaN and infinite cells. Cells are read in
// the order of the file's blocks, so that each block is decoded once as long as GDAL's cache holds it. REQUIRES: cells
// lie on the raster. progress: fraction done; may throw.
std::vector<std::vector<std::optional<double>>> values_at(const std::vector<GDALRasterBand*>& bands,
                                                          const std::vector<cell_place>& cells,
                                                          const std::function<void(double)>& progress);

}  // namespace gdalmcp_raster
