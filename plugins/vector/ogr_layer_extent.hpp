// The extent of a layer, from its geometries where the file states another.
#pragma once
#include <ogrsf_frmts.h>

#include <optional>

namespace gdalmcp_vector {

// Not IsInit() for a table and for a layer without geometries. A GeoPackage states an extent that programs need not
// keep: it is used where features reach each side of it and none lies beyond; of_features, the extent of all features
// where the caller has read them, spares the search. Resets reading and filters.
OGREnvelope layer_extent(GDALDataset& owner, OGRLayer&, const std::optional<OGREnvelope>& of_features = {});

}  // namespace gdalmcp_vector
