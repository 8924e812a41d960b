// The parts, vertices and ends of geometries, and geometries as parts of one.
#pragma once
#include "ogr_piece.hpp"

namespace gdalmcp_vector_more {

// Points, lines and polygons, those of collections within collections too: piece values are the number of the part,
// from 1.
pieces parts_of(const OGRGeometry&);

// As points, heights and measures kept: number of the part (from 1), of its ring (0 for the outer one and for lines),
// of the vertex in it (from 1). A ring's closing vertex is its first one again and is left out. Arcs give the vertices
// of their chords.
pieces vertices_of(const OGRGeometry&);

// The first and the last vertex of each line: number of the part, and of the vertex in it.
pieces ends_of(const OGRGeometry&);

// One geometry of all parts: multi-points, multi-lines or multi-polygons, a collection where kinds are mixed.
std::unique_ptr<OGRGeometry> collected(const OGRGeometry&);

// Calls `each` for every line and ring of a linear geometry with the numbers of its part and ring, as above.
void for_each_line(const OGRGeometry& linear,
                   const std::function<void(const OGRSimpleCurve&, int part, int ring)>& each);

std::int64_t vertex_count(const OGRGeometry&);

// The type of the parts of a type: Polygon for MultiPolygon; with z and m as it has them.
OGRwkbGeometryType part_type(OGRwkbGeometryType);

}  // namespace gdalmcp_vector_more
