#include "gdal_programs.hpp"

#include <gdal_pam.h>
#include <gdal_utils.h>

#include <memory>

namespace gdalmcp_datasets {
namespace {

std::vector<GDALDatasetH> handles_of(const std::vector<GDALDataset*>& datasets) {
    std::vector<GDALDatasetH> handles;
    for (auto* d : datasets) handles.push_back(GDALDataset::ToHandle(d));
    return handles;
}

}  // namespace

gdalmcp::gdal::dataset_ptr translate(GDALDataset& source, const std::string& path, gdalmcp::gdal::words words,
                                     const gdal_progress& progress) {
    const std::unique_ptr<GDALTranslateOptions, decltype(&GDALTranslateOptionsFree)> options{
        GDALTranslateOptionsNew(words.get(), nullptr), &GDALTranslateOptionsFree};
    if (!options) return nullptr;
    if (progress.report) GDALTranslateOptionsSetProgress(options.get(), progress.report, progress.argument);
    return gdalmcp::gdal::dataset_ptr{
        GDALDataset::FromHandle(GDALTranslate(path.c_str(), GDALDataset::ToHandle(&source), options.get(), nullptr))};
}

gdalmcp::gdal::dataset_ptr warp_by_program(const std::vector<GDALDataset*>& sources, const std::string& path,
                                           gdalmcp::gdal::words words, const gdal_progress& progress) {
    const std::unique_ptr<GDALWarpAppOptions, decltype(&GDALWarpAppOptionsFree)> options{
        GDALWarpAppOptionsNew(words.get(), nullptr), &GDALWarpAppOptionsFree};
    if (!options) return nullptr;
    if (progress.report) GDALWarpAppOptionsSetProgress(options.get(), progress.report, progress.argument);
    auto in = handles_of(sources);
    return gdalmcp::gdal::dataset_ptr{GDALDataset::FromHandle(
        GDALWarp(path.c_str(), nullptr, static_cast<int>(in.size()), in.data(), options.get(), nullptr))};
}

gdalmcp::gdal::dataset_ptr build_vrt(const std::vector<GDALDataset*>& sources, gdalmcp::gdal::words words) {
    const std::unique_ptr<GDALBuildVRTOptions, decltype(&GDALBuildVRTOptionsFree)> options{
        GDALBuildVRTOptionsNew(words.get(), nullptr), &GDALBuildVRTOptionsFree};
    if (!options) return nullptr;
    auto handles = handles_of(sources);
    return gdalmcp::gdal::dataset_ptr{GDALDataset::FromHandle(
        GDALBuildVRT("", static_cast<int>(handles.size()), handles.data(), nullptr, options.get(), nullptr))};
}

std::string describe(GDALDataset& dataset, gdalmcp::gdal::words words) {
    if (auto* pam = dynamic_cast<GDALPamDataset*>(&dataset)) pam->SetPamFlags(pam->GetPamFlags() | GPF_NOSAVE);
    const std::unique_ptr<GDALInfoOptions, decltype(&GDALInfoOptionsFree)> options{
        GDALInfoOptionsNew(words.get(), nullptr), &GDALInfoOptionsFree};
    if (!options) return {};
    const std::unique_ptr<char, decltype(&VSIFree)> text{GDALInfo(GDALDataset::ToHandle(&dataset), options.get()),
                                                         &VSIFree};
    return text ? text.get() : "";
}

gdalmcp::gdal::dataset_ptr rasterize(GDALDataset& source, const std::string& path, gdalmcp::gdal::words words,
                                     const gdal_progress& progress) {
    const std::unique_ptr<GDALRasterizeOptions, decltype(&GDALRasterizeOptionsFree)> options{
        GDALRasterizeOptionsNew(words.get(), nullptr), &GDALRasterizeOptionsFree};
    if (!options) return nullptr;
    GDALRasterizeOptionsSetProgress(options.get(), progress.report, progress.argument);
    return gdalmcp::gdal::dataset_ptr{GDALDataset::FromHandle(
        GDALRasterize(path.c_str(), nullptr, GDALDataset::ToHandle(&source), options.get(), nullptr))};
}

}  // namespace gdalmcp_datasets
