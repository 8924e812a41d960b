// Coordinates on a grid, and in two dimensions.
#pragma once
#include "ogr_piece.hpp"

namespace gdalmcp_vector_more {

// By GEOS, so that polygons stay valid: 10^-decimals units of the CRS are the grid. Nothing where the geometry is
// smaller than that. Throws unusable. REQUIRES: valid.
pieces rounded(const OGRGeometry&, int decimals);

// Without z and m; arcs stay arcs.
pieces flattened(const OGRGeometry&);

}  // namespace gdalmcp_vector_more
