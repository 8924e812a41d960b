// ogr_stream_layer.hpp — the links of a stream network as lines of a layer.
#pragma once
#include "flow_grid.hpp"
#include "stream_links.hpp"
#include "vector/ogr_result_layer.hpp"

namespace gdalmcp_hydrology {

struct drawn_links {
    const gdal_raster& raster;
    const accumulation<double>& area;       // contributing, m²
    const std::vector<std::size_t>& cells;  // of the tree, by their numbers
    const std::vector<stream_link>& links;
    bool drops = false;  // their drop is known
    // Labels of the cells, for a field `basin`; nullptr for none.
    const grid<std::int32_t>* basins = nullptr;
};

// Writes the layer `streams`, its lines along cell centres. Fields: link_id, from_node, to_node, to_link, order,
// length_m, drop (units of the heights), area_km2, edge (1: inflow may be missing), with basins also basin.
void write_links(gdalmcp::call& call, gdalmcp_vector::result_file& file, const drawn_links& drawn,
                 const progress& tick);

}  // namespace gdalmcp_hydrology
