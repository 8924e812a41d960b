#include "census.hpp"

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
    const auto look = [&](OGRFeature& feature) {
        ++all.features;
        const auto* geometry = feature.GetGeometryRef();
        if (!geometry) {
            ++all.without_geometry;
            return all.features < most;
        }
        ++all.types[geometry_type_name(geometry->getGeometryType())];
        if (geometry->IsEmpty()) {
            ++all.empty;
        } else if (auto reason = gdalmcp::gdal::invalid_reason(*geometry); !reason.empty()) {
            if (++all.invalid <= 10) all.first_invalid.push_back({feature.GetFID(), std::move(reason)});
        }
        return all.features < most;
    };
    all.damaged = for_each_readable_feature(layer, report, look, all.first_damage);
    return all;
}

bool holds_multi_parts(OGRLayer& layer) {
    const auto declared = wkbFlatten(layer.GetGeomType());
    if (declared != wkbPolygon && declared != wkbLineString) return false;
    bool found = false;
    for_each_feature(
        layer, [](double) {},
        [&](OGRFeature& feature) {
            const auto* geometry = feature.GetGeometryRef();
            found = geometry && wkbFlatten(geometry->getGeometryType()) == OGR_GT_GetCollection(declared);
            return !found;
        });
    return found;
}

}  // namespace gdalmcp_vector
