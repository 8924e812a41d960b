// Geometries of OGR as GEOS', and back: XY, edges straight.
#pragma once
#include <ogr_geometry.h>

#include <memory>

#include "geos.hpp"

namespace gdalmcp_vector {

// Heights and measures are left out, curves become lines. Throws geos::failure, for a ring that is not closed as well.
geos::shape to_shape(const OGRGeometry&);

// The members of a collection as a MultiSurface or MultiCurve (`type`), which GDAL's forceTo() does not make of it; the
// collection where one is of another kind.
std::unique_ptr<OGRGeometry> gathered(std::unique_ptr<OGRGeometry> collection, OGRwkbGeometryType type);

// Throws unusable for the box of a geometry with infinite coordinates, and of points that are no number.
void require_finite(const OGREnvelope&);

// Whether a collection holds points beside lines or polygons: where GDAL cuts at ±180 degrees it drops the points.
bool mixes_points(const OGRGeometry&);

// Fails the call where a driver makes something else of a geometry: that of GeoJSON drops points as above; that of
// Shapefiles makes a hole in a face that is not level a face of its own (GDAL 3.6).
void refuse_if_spoilt(const OGRGeometry&, const char* driver, GIntBig id);

std::unique_ptr<OGRGeometry> to_ogr(const GEOSGeometry&);

}  // namespace gdalmcp_vector
