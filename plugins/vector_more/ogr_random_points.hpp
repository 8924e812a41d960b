// Random points in polygons, uniform by the area on the ellipsoid, the same for a seed on every machine with one
// version of GEOS.
#pragma once
#include "ogr_piece.hpp"
#include "vector/ogr_surface.hpp"

namespace gdalmcp_vector_more {

// `n` points in the polygons of a geometry; overlapping parts count once. Places in its triangles are kept in
// proportion to the areal scale of the CRS. The numbers are those of SplitMix64 (Steele, Lea and Flood 2014) of `seed`
// and `number`. `earth`: nullptr for areas on the map. Throws unusable. REQUIRES: valid.
pieces random_points(const OGRGeometry&, std::int64_t n, std::uint64_t seed, std::uint64_t number,
                     gdalmcp_vector::surface* earth, bool geographic);

}  // namespace gdalmcp_vector_more
