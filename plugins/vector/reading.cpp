#include "reading.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace gdalmcp_vector {

namespace {

// What GDAL says while one feature is read.
struct said {
    std::string failure;  // the first
    std::vector<std::pair<CPLErrorNum, std::string>> warnings;
    static void CPL_STDCALL hear(CPLErr kind, CPLErrorNum number, const char* text) {
        auto& all = *static_cast<said*>(CPLGetErrorHandlerUserData());
        if (kind == CE_Warning)
            all.warnings.emplace_back(number, text);
        else if (kind >= CE_Failure && all.failure.empty())
            all.failure = text;
    }
};

// Returns the feature and, when it is damaged, why. Warnings are passed on.
OGRFeatureUniquePtr read_one(OGRLayer& layer, std::string& damage) {
    said heard;
    CPLPushErrorHandlerEx(said::hear, &heard);
    OGRFeatureUniquePtr feature{layer.GetNextFeature()};
    CPLPopErrorHandler();
    if (!heard.failure.empty()) CPLErrorReset();
    for (const auto& [number, text] : heard.warnings) CPLError(CE_Warning, number, "%s", text.c_str());
    damage = std::move(heard.failure);
    return feature;
}

void read_all(OGRLayer& layer, const progress& report, const visit& each,
              const std::function<void(const std::string&, const OGRFeature*)>& damaged) {
    const double expected = static_cast<double>(std::max<GIntBig>(1, layer.GetFeatureCount()));
    std::string damage;
    layer.ResetReading();
    for (GIntBig read = 1;; ++read) {
        const auto feature = read_one(layer, damage);
        if (!damage.empty()) damaged(damage, feature.get());
        if (!feature) break;
        if (read % 256 == 0) report(std::min(1.0, static_cast<double>(read) / expected));
        if (!each(*feature)) break;
    }
    layer.ResetReading();
}

}  // namespace

void for_each_feature(OGRLayer& layer, const progress& report, const visit& each) {
    read_all(layer, report, each, [&](const std::string& why, const OGRFeature* f) {
        throw gdalmcp::error{GDALMCP_IO,
                             "layer '" + std::string{layer.GetName()} + "' is damaged" +
                                 (f ? " at feature " + std::to_string(f->GetFID()) : std::string{}) + ": " + why,
                             "get an intact copy of the file; vector_info counts what is damaged"};
    });
}

GIntBig for_each_readable_feature(OGRLayer& layer, const progress& report, const visit& each, std::string& first) {
    GIntBig count = 0;
    read_all(layer, report, each, [&](const std::string& why, const OGRFeature*) {
        if (++count == 1) first = why;
    });
    return count;
}

}  // namespace gdalmcp_vector
