// A short look at a file: is it a dataset, of what kind, in which CRS. No cell and no feature is read.
#pragma once
#include <chrono>
#include <filesystem>
#include <vector>

#include "base/json.hpp"

namespace gdalmcp::worker {

// For each file, in order: {driver, kind: raster | vector | both, crs: normal form or "", crs_name, other_crs: [normal
// forms of the layers in another]}; {driver: ""} when GDAL opens nothing there. Ends early, with fewer answers than
// files, when `budget` is over.
base::json::array identify(const std::vector<std::filesystem::path>& files, std::chrono::milliseconds budget);

}  // namespace gdalmcp::worker
