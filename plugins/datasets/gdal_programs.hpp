// gdal_programs.hpp — GDAL's programs as functions: gdal_translate and gdalwarp with their own words.
#pragma once
#include <gdalmcp/gdal.hpp>

#include <string>

namespace gdalmcp_datasets {

// Who is told how far GDAL is, and may stop it. DEFAULT: nobody.
struct gdal_progress {
    GDALProgressFunc report = nullptr;
    void* argument = nullptr;
};

// Empty where GDAL fails, or refuses a word; why is GDAL's last word. path: "" for -of VRT and MEM.
gdalmcp::gdal::dataset_ptr translate(GDALDataset& source, const std::string& path, gdalmcp::gdal::words words,
                                     const gdal_progress& progress = {});

// The same. A dataset is returned also when the progress function said stop, or a block could not be written.
gdalmcp::gdal::dataset_ptr warp_by_program(GDALDataset& source, const std::string& path, gdalmcp::gdal::words words,
                                           const gdal_progress& progress = {});

}  // namespace gdalmcp_datasets
