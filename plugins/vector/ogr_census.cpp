#include "ogr_census.hpp"

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

census take_census(OGRLayer& layer, const std::function<bool(GIntBig)>& enough, const progress& report,
                   const std::function<void(const OGRFeature&)>& also) {
    census all;
    const auto look = [&](OGRFeature& feature) {
        if (enough(all.features)) {
            all.complete = false;
            return false;
        }
        ++all.features;
        also(feature);
        const auto* geometry = feature.GetGeometryRef();
        if (!geometry) {
            ++all.without_geometry;
            return true;
        }
        ++all.types[geometry_type_name(geometry->getGeometryType())];
        if (geometry->IsEmpty()) {
            ++all.empty;
            return true;
        }
        OGREnvelope box;
        geometry->getEnvelope(&box);
        all.extent.Merge(box);
        // GEOS finds nothing wrong with a point, and knows no surfaces.
        if (geometry->getDimension() > 0 && !gdalmcp::gdal::surfaces_as_polygons(*geometry)) {
            if (auto reason = gdalmcp::gdal::invalid_reason(*geometry); !reason.empty())
                if (++all.invalid <= 10) all.first_invalid.push_back({feature.GetFID(), std::move(reason)});
        }
        return true;
    };
    for_each_feature_as_read(layer, report, look, all.damaged);
    return all;
}

namespace {

template <class Property>
bool any_geometry(OGRLayer& layer, const Property& has) {
    bool found = false;
    left_out told_when_it_is_read;
    for_each_feature_as_read(
        layer, [](double) {},
        [&](OGRFeature& feature) {
            const auto* geometry = feature.GetGeometryRef();
            found = geometry && has(*geometry);
            return !found;
        },
        told_when_it_is_read);
    return found;
}

}  // namespace

bool holds_multi_parts(OGRLayer& layer) {
    const auto declared = wkbFlatten(layer.GetGeomType());
    if (declared != wkbPolygon && declared != wkbLineString) return false;
    return any_geometry(layer, [declared](const OGRGeometry& g) {
        return wkbFlatten(g.getGeometryType()) == OGR_GT_GetCollection(declared);
    });
}

bool holds_heights(OGRLayer& layer) {
    return any_geometry(layer, [](const OGRGeometry& g) { return g.Is3D() != FALSE; });
}

}  // namespace gdalmcp_vector
