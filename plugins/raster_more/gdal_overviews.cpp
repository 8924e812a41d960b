#include "gdal_overviews.hpp"

#include <gdal_priv.h>

#include <filesystem>

#include "arguments.hpp"

namespace gdalmcp_raster_more {

std::vector<std::string> write_overviews(GDALDataset& source, const std::string& view, const std::string& method,
                                         std::vector<int> factors, const std::string& target, gdal::step& progress) {
    const std::string name = source.GetDescription();
    if (!translate(source, view, gdal::words{"-of", "VRT"})) gdal::raise("cannot read " + name);
    const gdal::dataset_ptr seen{GDALDataset::Open(view.c_str(), GDAL_OF_RASTER)};
    const CPLConfigOptionSetter packed{"COMPRESS_OVERVIEW", "DEFLATE", false},
        large{"BIGTIFF_OVERVIEW", "IF_SAFER", false};
    if (!seen || seen->BuildOverviews(method.c_str(), static_cast<int>(factors.size()), factors.data(), 0, nullptr,
                                      gdal::step::report, &progress, nullptr) != CE_None) {
        progress.running.progress(progress.to);  // throws if it was stopped
        gdal::raise("cannot build overviews of " + name);
    }
    std::vector<std::string> sizes;
    auto& band = *seen->GetRasterBand(1);
    for (int i = 0; i < band.GetOverviewCount(); ++i)
        sizes.push_back(std::to_string(band.GetOverview(i)->GetXSize()) + "×" +
                        std::to_string(band.GetOverview(i)->GetYSize()));
    std::filesystem::rename(view + ".ovr", target);
    return sizes;
}

void require_overviews_of(GDALDataset& source, const std::string& file) {
    const auto refuse = [&](const std::string& why) {
        throw error{GDALMCP_INVALID_ARGUMENT,
                    file + " does not hold the overviews of " + source.GetDescription() + ": " + why,
                    "it is kept; a person may move it away"};
    };
    const gdal::quiet silence;
    const gdal::dataset_ptr held{GDALDataset::Open(file.c_str(), GDAL_OF_RASTER)};
    if (!held) return refuse("GDAL cannot read it");
    double transform[6];
    if (held->GetSpatialRef() || held->GetGeoTransform(transform) == CE_None) return refuse("it is georeferenced");
    if (held->GetRasterCount() != source.GetRasterCount())
        return refuse("it has " + std::to_string(held->GetRasterCount()) + " bands, the raster " +
                      std::to_string(source.GetRasterCount()));
    if (held->GetRasterXSize() > source.GetRasterXSize() || held->GetRasterYSize() > source.GetRasterYSize())
        return refuse("it has more cells than the raster");
}

}  // namespace gdalmcp_raster_more
