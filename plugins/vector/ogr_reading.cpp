#include "ogr_reading.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace gdalmcp_vector {

namespace {

// GDAL's messages while one feature is read.
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

// Returns the feature and, if it is damaged, the reason. Warnings are passed on.
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

// What to do about a damaged feature; false: leave it out.
using judgement = std::function<bool(const std::string& why, const OGRFeature*)>;

void read_all(OGRLayer& layer, const progress& report, const visit& each, const judgement& keep_damaged) {
    const double expected = static_cast<double>(std::max<GIntBig>(1, layer.GetFeatureCount()));
    std::string damage;
    layer.ResetReading();
    for (GIntBig read = 1;; ++read) {
        const auto feature = read_one(layer, damage);
        const bool kept = damage.empty() || keep_damaged(damage, feature.get());
        if (!feature) break;
        if (read % 256 == 0) report(std::min(1.0, static_cast<double>(read) / expected));
        if (kept && !each(*feature)) break;
    }
    layer.ResetReading();
}

}  // namespace

void left_out::add(const OGRFeature* f, const std::string& reason) {
    if (++count == 1) first_reason = reason;
    if (f && ids.size() < 100) ids.push_back(f->GetFID());
}

void left_out::merge(const left_out& other) {
    if (count == 0) first_reason = other.first_reason;
    count += other.count;
    for (const auto id : other.ids)
        if (ids.size() < 100) ids.push_back(id);
}

namespace {

// `by`: how to leave out what is damaged.
void read_intact(OGRLayer& layer, const progress& report, const visit& each, const char* by) {
    read_all(layer, report, each, [&](const std::string& why, const OGRFeature* f) -> bool {
        throw gdalmcp::error{GDALMCP_IO,
                             "layer '" + std::string{layer.GetName()} + "' is damaged" +
                                 (f ? " at feature " + std::to_string(f->GetFID()) : std::string{}) + ": " + why,
                             std::string{"get an intact copy of the file, or leave out what is damaged with "} + by};
    });
}

}  // namespace

void for_each_feature(OGRLayer& layer, const progress& report, const visit& each) {
    read_intact(layer, report, each, "vector_query and skip_failed: true");
}

void for_each_readable_feature(OGRLayer& layer, const progress& report, const visit& each, left_out& damaged) {
    read_all(layer, report, each, [&](const std::string& why, const OGRFeature* f) {
        damaged.add(f, why);
        return false;
    });
}

void reject(OGRLayer& layer, const OGRFeature& feature, const std::string& why, bool skip, left_out& out) {
    if (!skip)
        throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT,
                             "feature " + std::to_string(feature.GetFID()) + " of layer '" + layer.GetName() +
                                 "' cannot be used: " + why,
                             "correct it, or leave out and name such features with skip_failed: true"};
    out.add(&feature, why);
}

void for_each_usable_feature(OGRLayer& layer, bool skip, const progress& report, const visit& each, left_out& out) {
    const auto use = [&](OGRFeature& feature) {
        try {
            return each(feature);
        } catch (const unusable& e) {
            reject(layer, feature, e.why, skip, out);
            return true;
        }
    };
    if (skip)
        for_each_readable_feature(layer, report, use, out);
    else
        read_intact(layer, report, use, "skip_failed: true");  // which these tools have
}

void for_each_feature_as_read(OGRLayer& layer, const progress& report, const visit& each, left_out& damaged) {
    read_all(layer, report, each, [&](const std::string& why, const OGRFeature* f) {
        damaged.add(f, why);
        return true;
    });
}

}  // namespace gdalmcp_vector
