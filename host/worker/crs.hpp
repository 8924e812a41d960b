// The normal form of a CRS, unique per meaning, for keys and comparisons.
#pragma once
#include <ogr_spatialref.h>

#include <string>

#include "base/json.hpp"

namespace gdalmcp::worker {

// "EPSG:3857" when the registry knows it with certainty, else "projjson-sha256:<hex>" over the canonical JSON of its
// PROJJSON without the members name, id, remarks and usages; of a compound CRS of registered parts, over that of the
// registry. "" for an empty CRS.
std::string normal_form(const OGRSpatialReference& srs);

// Name of the vertical CRS of a compound one, "ellipsoidal height" for a geographic CRS of three axes, else "".
std::string vertical_name(const OGRSpatialReference& srs);

// {normal, code, label, name, kind, unit, unit_m, geographic, vertical, area_of_use?}. code is "" when it has none;
// label, for people, is the code or codes ("EPSG:26916+6360"), else the name; unit_m is metres per unit of the
// horizontal axes, 0 for degrees and without CRS; area_of_use is [w, s, e, n] in degrees where PROJ knows one (w > e
// across the antimeridian).
base::json::object describe_crs(const OGRSpatialReference& srs);

// The same for a spelling. Errors: invalid_argument naming it.
base::result<base::json::object> describe_spelling(const std::string& spelling);

}  // namespace gdalmcp::worker
