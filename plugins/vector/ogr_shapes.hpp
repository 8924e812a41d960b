// Geometries of OGR as GEOS', and back: XY, edges straight.
#pragma once
#include <ogr_geometry.h>

#include <memory>

#include "geos.hpp"

namespace gdalmcp_vector {

// Heights and measures are left out, curves become lines. Throws geos::failure, for a ring that is not closed as well.
geos::shape to_shape(const OGRGeometry&);

std::unique_ptr<OGRGeometry> to_ogr(const GEOSGeometry&);

}  // namespace gdalmcp_vector
