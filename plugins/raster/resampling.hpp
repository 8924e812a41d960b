// resampling.hpp — the names of resampling methods: ours, GDAL's and callers' synonyms.
#pragma once
#include <string>
#include <utility>
#include <vector>

namespace gdalmcp_raster {

// The values of an argument and their synonyms.
const std::vector<const char*>& resampling_choices();
const std::vector<std::pair<const char*, const char*>>& resampling_synonyms();

// As gdalwarp's -r spells it.
std::string warp_resampling(const std::string& choice);

}  // namespace gdalmcp_raster
