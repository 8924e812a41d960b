#include "worker/identify.hpp"

#include <gdalmcp/gdal_crs.hpp>

#include <algorithm>

#include "worker/crs.hpp"

namespace gdalmcp::worker {

namespace json = base::json;

namespace {

// The CRSs of the bands and of every layer with geometries, each once; nullptr last, for those without.
std::vector<const OGRSpatialReference*> every_crs(GDALDataset& d) {
    std::vector<const OGRSpatialReference*> all;
    const auto add = [&](const OGRSpatialReference* own) {
        const auto* srs = gdal::stated(own);
        if (std::none_of(all.begin(), all.end(),
                         [&](auto* known) { return known == srs || (known && srs && known->IsSame(srs)); }))
            all.push_back(srs);
    };
    if (d.GetRasterCount() > 0) add(d.GetSpatialRef());
    for (auto* layer : d.GetLayers())
        if (layer->GetSpatialRef() || layer->GetGeomType() != wkbNone) add(layer->GetSpatialRef());
    if (all.empty()) add(d.GetSpatialRef());
    std::stable_partition(all.begin(), all.end(), [](auto* srs) { return srs != nullptr; });
    return all;
}

json::object seen(const std::filesystem::path& file) {
    const gdal::quiet silence;
    const auto d = gdal::open_dataset(file, GDAL_OF_RASTER | GDAL_OF_VECTOR);
    if (!d) return {{"driver", ""}};
    const bool layers = d->GetLayerCount() > 0;
    // A raster without bands of its own has them in its subdatasets, beside layers or not.
    const bool bands = d->GetRasterCount() > 0 || d->GetMetadata("SUBDATASETS") || !layers;
    const auto systems = every_crs(*d);
    const auto normal = [](const OGRSpatialReference* srs) { return srs ? normal_form(*srs) : std::string{}; };
    const auto* first = systems.front();
    const auto codes = [](const OGRSpatialReference* srs) { return srs ? gdal::compound_code(*srs) : std::string{}; };
    json::array others, codes_of_others;
    for (std::size_t i = 1; i < systems.size(); ++i) {
        others.emplace_back(normal(systems[i]));
        codes_of_others.emplace_back(codes(systems[i]));
    }
    return {{"driver", d->GetDriverName()},
            {"kind", bands && layers ? "both"
                     : bands         ? "raster"
                                     : "vector"},
            {"crs", normal(first)},
            {"crs_name", first && first->GetName() ? first->GetName() : ""},
            {"crs_codes", codes(first)},
            {"other_crs", std::move(others)},
            {"other_crs_codes", std::move(codes_of_others)}};
}

}  // namespace

json::array identify(const std::vector<std::filesystem::path>& files, std::chrono::milliseconds budget) {
    const auto end = std::chrono::steady_clock::now() + budget;
    json::array all;
    for (const auto& f : files) {
        if (std::chrono::steady_clock::now() > end) break;
        all.push_back(seen(f));
    }
    return all;
}

}  // namespace gdalmcp::worker
