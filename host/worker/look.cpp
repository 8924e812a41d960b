#include "worker/look.hpp"

#include <gdalmcp/gdal.hpp>

#include "worker/crs.hpp"

namespace gdalmcp::worker {

namespace json = base::json;

namespace {

const OGRSpatialReference* crs_of(GDALDataset& d) {
    if (const auto* srs = d.GetSpatialRef()) return srs;
    for (auto* layer : d.GetLayers())
        if (const auto* srs = layer->GetSpatialRef()) return srs;
    return nullptr;
}

json::object seen(const std::filesystem::path& file) {
    const gdal::quiet silence;
    const gdal::dataset_ptr d{GDALDataset::Open(file.c_str(), GDAL_OF_RASTER | GDAL_OF_VECTOR)};
    if (!d) return {{"driver", ""}};
    const bool layers = d->GetLayerCount() > 0;
    // A raster without bands of its own has them in its subdatasets.
    const bool bands = d->GetRasterCount() > 0 || !layers;
    const auto* srs = crs_of(*d);
    return {{"driver", d->GetDriverName()},
            {"kind", bands && layers ? "both"
                     : bands         ? "raster"
                                     : "vector"},
            {"crs", srs ? normal_form(*srs) : std::string{}},
            {"crs_name", srs && srs->GetName() ? srs->GetName() : ""}};
}

}  // namespace

json::array look_at(const std::vector<std::filesystem::path>& files, std::chrono::milliseconds budget) {
    const auto end = std::chrono::steady_clock::now() + budget;
    json::array all;
    for (const auto& f : files) {
        if (std::chrono::steady_clock::now() > end) break;
        all.push_back(seen(f));
    }
    return all;
}

}  // namespace gdalmcp::worker
