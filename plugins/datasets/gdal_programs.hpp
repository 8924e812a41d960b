// gdal_programs.hpp — GDAL's programs as functions: gdalinfo, gdal_translate and so on, with their own arguments.
#pragma once
#include <gdalmcp/gdal.hpp>

#include <string>
#include <vector>

namespace gdalmcp_datasets {

// gdalinfo's report. Statistics that it computes are not saved beside the file. Empty if GDAL fails.
std::string describe(GDALDataset& dataset, gdalmcp::gdal::words words);

// Progress callback, which may stop GDAL. DEFAULT: none.
struct gdal_progress {
    GDALProgressFunc report = nullptr;
    void* argument = nullptr;
};

// Empty if GDAL fails, or refuses an argument; GDAL's last error has the reason. path: "" for -of VRT and MEM.
gdalmcp::gdal::dataset_ptr translate(GDALDataset& source, const std::string& path, gdalmcp::gdal::words words,
                                     const gdal_progress& progress = {});

// The same; later sources cover earlier ones. A dataset is also returned if the progress function stopped the work, or
// a block could not be written.
gdalmcp::gdal::dataset_ptr warp_by_program(const std::vector<GDALDataset*>& sources, const std::string& path,
                                           gdalmcp::gdal::words words, const gdal_progress& progress = {});

// The sources stay open while the dataset is.
gdalmcp::gdal::dataset_ptr build_vrt(const std::vector<GDALDataset*>& sources, gdalmcp::gdal::words words);

// gdal_rasterize into a new file; complete. Empty if GDAL fails.
gdalmcp::gdal::dataset_ptr rasterize(GDALDataset& source, const std::string& path, gdalmcp::gdal::words words,
                                     const gdal_progress& progress);

}  // namespace gdalmcp_datasets
