// Geometries of OGR as GEOS', and back: XY, edges straight.
#pragma once
#include <ogr_geometry.h>

#include <memory>

#include "geos.hpp"

namespace gdalmcp_vector {

// Heights and measures are left out, curves become lines. Throws geos::failure, for a ring that is not closed as well.
geos::shape to_shape(const OGRGeometry&);

// TINs, polyhedral surfaces and triangles as polygons, also those in a collection; nullptr: it has none.
std::unique_ptr<OGRGeometry> surfaces_as_polygons(const OGRGeometry&);
// The members of a collection as a MultiSurface or MultiCurve, which GDAL's forceTo() does not make of it; the
// collection where one is of another kind.
std::unique_ptr<OGRGeometry> gathered(std::unique_ptr<OGRGeometry> collection, OGRwkbGeometryType type);

// The members of a collection as a MultiSurface or MultiCurve (`type`), which GDAL's forceTo() does not make of it; the
// collection where one is of another kind.
std::unique_ptr<OGRGeometry> gathered(std::unique_ptr<OGRGeometry> collection, OGRwkbGeometryType type);

// Whether a face with heights that differ has a hole: GDAL before 3.10 writes it to a Shapefile as another face.
bool slopes_around_hole(const OGRGeometry&);

// Whether a collection holds points beside lines or polygons: where GDAL cuts at ±180 degrees it drops the points.
bool mixes_points(const OGRGeometry&);

std::unique_ptr<OGRGeometry> to_ogr(const GEOSGeometry&);

}  // namespace gdalmcp_vector
