#include "census.hpp"

#include <algorithm>

namespace gdalmcp_vector {

std::string geometry_type_name(OGRwkbGeometryType type) {
    if (wkbFlatten(type) == wkbUnknown) return "any";
    std::string name;
    for (const char* c = OGRGeometryTypeToName(wkbFlatten(type)); *c; ++c)
        if (*c != ' ') name += *c;
    if (OGR_GT_HasZ(type) || OGR_GT_HasM(type)) name += ' ';
    if (OGR_GT_HasZ(type)) name += 'Z';
    if (OGR_GT_HasM(type)) name += 'M';
    return name;
}

census take_census(OGRLayer& layer, GIntBig most, const progress& report) {
    census all;
    const double expected = static_cast<double>(std::max<GIntBig>(1, std::min(most, layer.GetFeatureCount())));
    layer.ResetReading();
    while (all.features < most) {
        const OGRFeatureUniquePtr feature{layer.GetNextFeature()};
        if (!feature) break;
        if (++all.features % 256 == 0) report(std::min(1.0, static_cast<double>(all.features) / expected));
        const auto* geometry = feature->GetGeometryRef();
        if (!geometry) {
            ++all.without_geometry;
            continue;
        }
        ++all.types[geometry_type_name(geometry->getGeometryType())];
        if (geometry->IsEmpty()) {
            ++all.empty;
        } else if (auto reason = gdalmcp::gdal::invalid_reason(*geometry); !reason.empty()) {
            if (++all.invalid <= 10) all.first_invalid.push_back({feature->GetFID(), std::move(reason)});
        }
    }
    layer.ResetReading();
    return all;
}

bool holds_multi_parts(OGRLayer& layer) {
    const auto declared = wkbFlatten(layer.GetGeomType());
    if (declared != wkbPolygon && declared != wkbLineString) return false;
    bool found = false;
    layer.ResetReading();
    while (!found) {
        const OGRFeatureUniquePtr feature{layer.GetNextFeature()};
        if (!feature) break;
        const auto* geometry = feature->GetGeometryRef();
        found = geometry && wkbFlatten(geometry->getGeometryType()) == OGR_GT_GetCollection(declared);
    }
    layer.ResetReading();
    return found;
}

}  // namespace gdalmcp_vector
