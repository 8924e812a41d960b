// Identifies a file: whether it is a dataset, its kind and its CRS. Reads no cells or features.
#pragma once
#include <chrono>
#include <filesystem>
#include <vector>

#include "base/json.hpp"

namespace gdalmcp::worker {

// For each file, in order: {driver, kind: raster | vector | both, crs: normal form or "", crs_name, crs_codes: those of
// a compound CRS of registered parts, else "", other_crs: [normal forms of the layers in another], other_crs_codes: in
// the same order}; {driver: ""} when GDAL cannot open it. Ends early, with fewer answers than files, when `budget` runs
// out.
base::json::array identify(const std::vector<std::filesystem::path>& files, std::chrono::milliseconds budget);

}  // namespace gdalmcp::worker
