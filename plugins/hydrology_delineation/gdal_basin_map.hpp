// gdal_basin_map.hpp — the picture of delineated basins: their terrain, outlines, streams and outlets.
#pragma once
#include "hydrology/basin_outlets.hpp"

namespace gdalmcp_hydrology_delineation {

using namespace gdalmcp_hydrology;

// Attaches it to the call. file: the GeoPackage with the layers `basins` and `streams`, closed. Takes the last
// twentieth of the call's progress.
void attach_basin_map(gdalmcp::call& call, const gdalmcp::raster& dem, const gdal_raster& raster, const basin_map& map,
                      const std::string& file);

}  // namespace gdalmcp_hydrology_delineation
