// The files whose bytes are a dataset's cells and features.
#pragma once
#include <filesystem>
#include <vector>

namespace gdalmcp::workspace {

// `primary`, then the files that a VRT of rasters or layers names, each followed by those that it names in turn; of a
// folder its files at any depth, in the order of their paths. Each once, regular files that are there. At most 20 000,
// since the worker refuses a dataset of more; of the text of one VRT the first 64 MiB.
std::vector<std::filesystem::path> read_files(const std::filesystem::path& primary);

}  // namespace gdalmcp::workspace
