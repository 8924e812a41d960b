// What this GDAL's drivers and resamplers say of themselves.
#pragma once
#include "base/json.hpp"

namespace gdalmcp::worker {

// Every driver, in GDAL's order: {name, long_name, raster, vector, extensions[], read, create, create_copy, virtual_io,
// subdatasets, data_types[], help?, creation_options[], layer_creation_options[], open_options[]}; an option is
// {name, type?, description?, default?, min?, max?, values?[], scope?}.
base::json::array drivers();

// The methods GDAL's warper or its overviews take: {method, warp, overviews}, method as its programs spell it.
base::json::array resampling_methods();

}  // namespace gdalmcp::worker
