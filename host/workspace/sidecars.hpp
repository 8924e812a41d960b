// Files that belong to a dataset beside its primary file.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace gdalmcp::workspace {

// The sidecars GDAL would read with `primary`, by its extension, whether they exist or not: dem.tif -> dem.tif.aux.xml,
// dem.tif.ovr, dem.tif.msk, dem.tfw; a.shp -> a.dbf, a.shx, a.prj, …. Nothing another dataset
// of the same stem might own.
std::vector<std::filesystem::path> possible_sidecars(const std::filesystem::path& primary);

// A dataset beside `target` that has the same stem and `file` as a sidecar, such as tr.shp for tr.prj of tr.csv; empty:
// there is none.
std::filesystem::path other_owner(const std::filesystem::path& file, const std::filesystem::path& target);

// Changes when the dataset does: path, inode, size and times of the file, of the files that some driver reads with it
// (statistics, world files, projections, tables, masks, overviews, in lower and upper case), and of the files that a
// VRT or a folder consists of (read_files), the first 1000 with the files beside them. Empty when it is not there.
std::string dataset_state(const std::filesystem::path& primary);

// As dataset_state, but unchanged by indexes put beside the files: overviews and spatial indexes hold nothing of their
// own.
std::string content_state(const std::filesystem::path& primary);

// `name` may be written along with `primary`: the same stem, something after its dot ("dem.tif", "dem.tif.ovr").
bool may_accompany(const std::filesystem::path& primary, const std::string& name);

// `<primary>.provenance.json`
std::filesystem::path provenance_path(const std::filesystem::path& primary);

}  // namespace gdalmcp::workspace
