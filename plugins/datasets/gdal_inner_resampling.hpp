// gdal_inner_resampling.hpp — virtual rasters whose cells are computed from those of their sources when they are read.
#pragma once
#include <gdal_priv.h>

#include <string>

namespace gdalmcp_datasets {

// How a VRT resamples its sources: "average", "bilinear", …; "" where every cell is one of a source, as by nearest, or
// it is no VRT. Of its sources that are VRTs themselves nothing is known.
std::string inner_resampling(GDALDataset& dataset);

// Warns of it where the raster's values are read. path: of the dataset.
void caution_of_inner_resampling(GDALDataset& dataset, const std::string& path);

}  // namespace gdalmcp_datasets
