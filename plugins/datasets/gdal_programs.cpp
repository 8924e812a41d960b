#include "gdal_programs.hpp"

#include <gdal_utils.h>

#include <memory>

namespace gdalmcp_datasets {

gdalmcp::gdal::dataset_ptr translate(GDALDataset& source, const std::string& path, gdalmcp::gdal::words words,
                                     const gdal_progress& progress) {
    const std::unique_ptr<GDALTranslateOptions, decltype(&GDALTranslateOptionsFree)> options{
        GDALTranslateOptionsNew(words.get(), nullptr), &GDALTranslateOptionsFree};
    if (!options) return nullptr;
    if (progress.report) GDALTranslateOptionsSetProgress(options.get(), progress.report, progress.argument);
    return gdalmcp::gdal::dataset_ptr{
        GDALDataset::FromHandle(GDALTranslate(path.c_str(), GDALDataset::ToHandle(&source), options.get(), nullptr))};
}

gdalmcp::gdal::dataset_ptr warp_by_program(GDALDataset& source, const std::string& path, gdalmcp::gdal::words words,
                                           const gdal_progress& progress) {
    const std::unique_ptr<GDALWarpAppOptions, decltype(&GDALWarpAppOptionsFree)> options{
        GDALWarpAppOptionsNew(words.get(), nullptr), &GDALWarpAppOptionsFree};
    if (!options) return nullptr;
    if (progress.report) GDALWarpAppOptionsSetProgress(options.get(), progress.report, progress.argument);
    GDALDatasetH in = GDALDataset::ToHandle(&source);
    return gdalmcp::gdal::dataset_ptr{
        GDALDataset::FromHandle(GDALWarp(path.c_str(), nullptr, 1, &in, options.get(), nullptr))};
}

gdalmcp::gdal::dataset_ptr build_vrt(const std::vector<GDALDataset*>& sources, gdalmcp::gdal::words words) {
    const std::unique_ptr<GDALBuildVRTOptions, decltype(&GDALBuildVRTOptionsFree)> options{
        GDALBuildVRTOptionsNew(words.get(), nullptr), &GDALBuildVRTOptionsFree};
    if (!options) return nullptr;
    std::vector<GDALDatasetH> handles;
    for (auto* s : sources) handles.push_back(GDALDataset::ToHandle(s));
    return gdalmcp::gdal::dataset_ptr{GDALDataset::FromHandle(
        GDALBuildVRT("", static_cast<int>(handles.size()), handles.data(), nullptr, options.get(), nullptr))};
}

}  // namespace gdalmcp_datasets
