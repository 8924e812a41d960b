// gdal_programs.hpp — GDAL's programs as functions: gdal_translate, gdalwarp and gdalbuildvrt with their own arguments.
#pragma once
#include <gdalmcp/gdal.hpp>

#include <string>
#include <vector>

namespace gdalmcp_datasets {

// Progress callback, which may stop GDAL. DEFAULT: none.
struct gdal_progress {
    GDALProgressFunc report = nullptr;
    void* argument = nullptr;
};

// Empty if GDAL fails, or refuses an argument; GDAL's last error has the reason. path: "" for -of VRT and MEM.
gdalmcp::gdal::dataset_ptr translate(GDALDataset& source, const std::string& path, gdalmcp::gdal::words words,
                                     const gdal_progress& progress = {});

// The same. A dataset is also returned if the progress function stopped the work, or a block could not be written.
gdalmcp::gdal::dataset_ptr warp_by_program(GDALDataset& source, const std::string& path, gdalmcp::gdal::words words,
                                           const gdal_progress& progress = {});

// The sources stay open while the dataset is.
gdalmcp::gdal::dataset_ptr build_vrt(const std::vector<GDALDataset*>& sources, gdalmcp::gdal::words words);

}  // namespace gdalmcp_datasets
