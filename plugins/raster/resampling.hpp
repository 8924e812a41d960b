// resampling.hpp — the names of resampling methods: ours, GDAL's and their synonyms.
#pragma once
#include <cpl_progress.h>
#include <gdal.h>

#include <string>
#include <vector>

namespace gdalmcp_raster {

// What an argument accepts: the names and the synonyms near and cubicspline.
const std::vector<const char*>& resampling_choices();

// Synonyms folded: near = nearest, cubicspline = cubic_spline.
std::string resampling_name(const std::string& choice);

// As gdalwarp's -r spells it.
std::string warp_resampling(const std::string& choice);

// For reading with RasterIO, which knows fewer methods; false when it does not know this one.
bool read_resampling(const std::string& choice, GDALRIOResampleAlg& out);

}  // namespace gdalmcp_raster
