// The drivers and resampling methods of this GDAL.
#pragma once
#include "base/json.hpp"

namespace gdalmcp::worker {

// Every driver, in GDAL's order: {name, long_name, raster, vector, extensions[], read, create, create_copy, virtual_io,
// subdatasets, data_types[], help?, creation_options[], layer_creation_options[], open_options[]}; an option is
// {name, type?, description?, default?, min?, max?, values?[], scope?}.
base::json::array drivers();

// The methods of GDAL's warper and overviews: {method, warp, overviews}, spelled as in its programs.
base::json::array resampling_methods();

}  // namespace gdalmcp::worker
