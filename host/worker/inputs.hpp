// Trusted code that runs before any plugin: opens each input once, finds all its files, and checks that this call may
// read them. Granting only the named file would give silently wrong results: a nodata value in .aux.xml would be
// ignored, a shapefile would lose its attributes, a GeoPackage the rows still in its -wal.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "runner/messages.hpp"

class GDALDataset;

namespace gdalmcp::worker {

using runner::input, runner::opened_input;

// roots: canonical folders this call may read. scratch: where copies go.
// Errors: io (not a dataset GDAL can open), denied (a file it refers to lies outside, or is remote).
// want_crs: fill in `crs`, which takes PROJ some milliseconds in a fresh process. leave: the dataset stays open for the
// tool that opens it next in this process (gdal_handover.hpp).
base::result<opened_input> open_input(const input& i, const std::vector<std::filesystem::path>& roots,
                                      const std::filesystem::path& scratch, bool want_crs, bool leave = false);

// Makes GDAL open the files it opens on first access to bands and layers, so that a file_trace records them.
void touch(GDALDataset& d);

}  // namespace gdalmcp::worker
