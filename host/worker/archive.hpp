// Datasets inside archives, read in place through GDAL's /vsizip/, /vsitar/ and /vsigzip/.
#pragma once
#include <filesystem>
#include <optional>
#include <string>

#include "base/problem.hpp"

namespace gdalmcp::worker {

// The archive file of a name such as /vsizip//data/a.zip/b.shp; nothing for names of other kinds.
std::optional<std::filesystem::path> archive_of(const std::string& name);

// The GDAL name of the only dataset of these kinds (GDAL_OF_RASTER, GDAL_OF_VECTOR) in a zip, tar or gzip file; nothing
// when the file is not an archive.
// Errors: invalid_argument (several, listed; name one as archive.zip/inside.shp), unsupported (none), exhausted (more
// than 10 000 entries, or more than 64 GiB when unpacked).
base::result<std::optional<std::string>> dataset_in_archive(const std::filesystem::path& file, unsigned kinds);

}  // namespace gdalmcp::worker
