// The union of many polygons, on all cores.
#pragma once
#include "ogr_reading.hpp"

#include <memory>
#include <vector>

namespace gdalmcp_vector {

// Neighbours are united first (GEOS' cascaded union in chunks along a Hilbert curve), then their unions. Holes that no
// later shape can reach are taken out on the way and put back at the end: GEOS 3.11 looks for the shell of each hole
// vertex by vertex, in every union again. nullptr for none. REQUIRES: valid polygons. Throws gdalmcp::error
// when GEOS fails, and what `report` throws.
std::unique_ptr<OGRGeometry> united(std::vector<std::unique_ptr<OGRGeometry>> shapes, std::size_t workers,
                                    const progress& report);

}  // namespace gdalmcp_vector
