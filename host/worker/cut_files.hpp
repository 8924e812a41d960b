// Raster files that are shorter than their headers declare, of formats whose missing cells GDAL reads without an error:
// as 0 (netCDF's classic formats, ENVI) or as whatever is in memory (PCIDSK).
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace gdalmcp::worker {

struct cut_file {
    std::filesystem::path path;
    std::uint64_t declared = 0, present = 0;  // bytes
    // Whether only damage can have made it so: the netCDF library pads files to their size; an ENVI file ends with
    // the last row that was written, and programs give PCIDSK files another size.
    bool damaged = false;
};

// The first of a dataset's files, headers among them, that is one.
std::optional<cut_file> first_cut(const std::vector<std::filesystem::path>& files);

// "/a/b.nc has 72000 bytes, and its header declares 120000".
std::string describe(const cut_file&);

}  // namespace gdalmcp::worker
