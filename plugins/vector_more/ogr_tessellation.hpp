// The plane divided by points: Voronoi cells and Delaunay triangles, by GEOS.
#pragma once
#include "ogr_metric_frame.hpp"
#include "ogr_piece.hpp"

namespace gdalmcp_vector_more {

struct tessellation {
    pieces made;
    GIntBig duplicates = 0;  // points at the place of another
};

// One cell for each different place of the points of a collection: what lies nearer to it than to any other. Its piece
// has the member with the point, the first of several at one place. Outer cells end at a box around the points, larger
// than theirs by its longer side on every side. Nothing where fewer than two places differ. Throws unusable, for lines
// and polygons as well.
tessellation voronoi(const OGRGeometryCollection&, metric_frame&);

// The triangles of all vertices. Nothing where they lie on a line. Throws unusable.
tessellation delaunay(const OGRGeometryCollection&, metric_frame&);

}  // namespace gdalmcp_vector_more
