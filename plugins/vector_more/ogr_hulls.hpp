// Outlines around geometries: GEOS' hulls, rectangles and circles.
#pragma once
#include "ogr_metric_frame.hpp"
#include "ogr_piece.hpp"

namespace gdalmcp_vector_more {

// All return nothing where the geometry spans no area: of a point, of two, of points on a line.

// Edges straight in the CRS.
pieces convex_hull(const OGRGeometry&);

// Of points and lines around their vertices; of polygons with what is narrow between them filled. ratio: 0, the closest
// outline, to 1, the convex hull; edges longer than that share, from the shortest to the longest of GEOS'
// triangulation, are left out. REQUIRES: valid.
pieces concave_hull(const OGRGeometry&, double ratio, metric_frame&);

// The rectangle of least area, in any direction: its length and width in m.
pieces bounding_rectangle(const OGRGeometry&, metric_frame&);

// The smallest circle: its radius in m. Its outline has 128 sides, which touch the circle from outside.
pieces bounding_circle(const OGRGeometry&, metric_frame&);

// The extent in the CRS.
pieces bounding_box(const OGRGeometry&);

}  // namespace gdalmcp_vector_more
