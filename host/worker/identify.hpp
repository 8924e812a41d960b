// Identifies a file: whether it is a dataset, its kind and its CRS. Reads no cells or features.
#pragma once
#include <chrono>
#include <filesystem>
#include <vector>

#include "base/json.hpp"

namespace gdalmcp::worker {

// For each file, in order: {driver, kind: raster | vector | both, crs: normal form or "", crs_name, other_crs: [normal
// forms of the layers in another]}; {driver: ""} when GDAL cannot open it. Ends early, with fewer answers than files,
// when `budget` runs out.
base::json::array identify(const std::vector<std::filesystem::path>& files, std::chrono::milliseconds budget);

}  // namespace gdalmcp::worker
