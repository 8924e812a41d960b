// routed_terrain.hpp — a DEM read, conditioned as the call says, and directed by D8; nothing is written on the way.
#pragma once
#include "hydrology/conditioning.hpp"
#include "hydrology/flow_grid.hpp"

namespace gdalmcp_hydrology_delineation {

using namespace gdalmcp_hydrology;

struct routed_terrain {
    flow_grid flow;
    conditioned surface;
    std::function<double(std::size_t)> height;  // of a cell after conditioning, in the DEM's unit
};

// sizes: of the DEM's cells. Takes the first half of the call's progress.
routed_terrain route_terrain(gdalmcp::call& call, const gdal_raster& dem, const cell_sizes& sizes);

}  // namespace gdalmcp_hydrology_delineation
