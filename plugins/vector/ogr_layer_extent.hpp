// The extent of a layer, from its geometries where the file states another.
#pragma once
#include <ogrsf_frmts.h>

#include <optional>

namespace gdalmcp_vector {

// Not IsInit() for a table and for a layer without geometries. A GeoPackage states an extent that programs need not
// keep: it is used where features reach each side of it and none lies beyond; of_features, the extent of all features
// where the caller has read them, spares the search. Resets reading and filters.
OGREnvelope layer_extent(GDALDataset& owner, OGRLayer&, const std::optional<OGREnvelope>& of_features = {});

// Of a layer in degrees whose extent is wider than half a turn while its geometries lie within half a turn across 180
// degrees: that extent, whose MaxX lies beyond 180. Else `plain`. Resets reading.
OGREnvelope extent_across_180(OGRLayer&, const OGRSpatialReference& crs, const OGREnvelope& plain);
// The same of a geometry of several parts.
OGREnvelope extent_across_180(const OGRGeometry&, const OGRSpatialReference& crs);

}  // namespace gdalmcp_vector
