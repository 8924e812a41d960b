// Verifies an output: re-opens it in a process that never loaded the plugin and compares it with the declared
// properties.
#pragma once
#include "runner/messages.hpp"

namespace gdalmcp::worker {

// Of the request: path; role: output-raster, output-vector, output-table, output-any; expect: {crs?, width?, height?,
// bands?, dtype?, features?}; roots: what it may refer to; published. Returns {driver, crs, size_bytes, sha256,
// bounds?, width?, height?, bands?, dtype?, feature_count?, files[], sidecars?[{name, sha256}], checks[], warnings[]},
// `files` the names of the dataset's files, `sidecars` those beside `path`. Errors: verification_failed naming the
// declared and the actual value.
base::result<base::json::object> verify_output(const runner::request& r);

}  // namespace gdalmcp::worker
