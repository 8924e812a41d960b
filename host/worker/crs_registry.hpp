// The coordinate reference systems in PROJ's database.
#pragma once
#include <string>

#include "base/json.hpp"

namespace gdalmcp::worker {

// Every CRS of the database: {code, name, kind, deprecated, body, area?, bbox?, method?}. kind: geographic,
// geographic_3d, geocentric, geodetic, projected, vertical, compound or other. body: "Earth", "Mars", …. bbox is
// [w, s, e, n] in degrees (w > e across the antimeridian). SQLite sorts them on disk: see SQLITE_TMPDIR.
base::result<base::json::array> registered_crs();

// One of them: {code, name, kind, body?, deprecated, superseded_by[], axes[{name, abbreviation, direction, unit,
// unit_to_si}] in the order of the authority, area_of_use?{name, bbox?}, scope?, remarks?, datum?{name, accuracy_m?,
// epoch?}, ellipsoid?{…}, prime_meridian?, method?, components?[names], axis_order}. `spelling`: a code, with EPSG
// where no authority is named, or any spelling PROJ resolves to a registered CRS.
// Errors: not_found, naming it.
base::result<base::json::object> crs_entry(const std::string& spelling);

}  // namespace gdalmcp::worker
