// ogr_basin_layer.hpp — basins as polygons of a layer.
#pragma once
#include "basin_outlets.hpp"
#include "vector/ogr_result_layer.hpp"

namespace gdalmcp_hydrology {

// The streams within one basin.
struct basin_streams {
    double length = 0;   // m
    unsigned order = 0;  // the highest
};

struct drawn_basins {
    const gdal_raster& raster;
    const accumulation<double>& area;  // contributing, m²
    const basin_map& map;
    const std::vector<basin_streams>* streams = nullptr;  // of each basin; nullptr: not known
};

// Writes the layer `basins`. Fields: basin, point, area_km2, up_km2, to_basin, snapped_m, edge (1: inflow may be
// missing), with streams also stream_km and order. from, to: part of the call's progress.
void write_basins(gdalmcp::call& call, gdalmcp_vector::result_file& file, const drawn_basins& drawn, double from,
                  double to);

}  // namespace gdalmcp_hydrology
