// An output, re-opened in a process that never saw the plugin, and compared with what was promised.
#pragma once
#include <filesystem>

#include "base/json.hpp"

namespace gdalmcp::worker {

// role: output-raster, output-vector, output-table, output-any. expect: {crs?, width?, height?, bands?, dtype?,
// features?}. Returns {driver, crs, size_bytes, sha256, bounds?, width?, height?, bands?, dtype?, feature_count?,
// files[], checks[], warnings[]}, `files` the names of those the dataset is made of. Errors: verification_failed naming
// what was promised and what is there.
base::result<base::json::object> verify_output(const std::filesystem::path& file, const std::string& role,
                                               const base::json::object& expect);

}  // namespace gdalmcp::worker
