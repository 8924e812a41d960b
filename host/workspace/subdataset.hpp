// GDAL's names for one dataset inside a file: NETCDF:"x.nc":t2m, GTIFF_DIR:2:x.tif, GPKG:x.gpkg:layer.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace gdalmcp::workspace {

// Such a name in its parts; the file part can be checked by itself. Known are NETCDF, HDF5, GPKG and GTIFF_DIR.
struct subdataset {
    std::string before;  // NETCDF:
    std::string file;    // x.nc
    std::string after;   // :t2m
    bool quoted = true;  // the driver reads a quoted file name

    static std::optional<subdataset> parse(std::string_view spelled);
    std::string with_file(const std::filesystem::path& path) const;  // REQUIRES: no '"' in path
};

}  // namespace gdalmcp::workspace
