#include "ogr_layer_extent.hpp"

#include <gdalmcp/gdal.hpp>

#include <algorithm>
#include <cmath>

namespace gdalmcp_vector {

namespace {

bool any_in(OGRLayer& layer, double minx, double miny, double maxx, double maxy) {
    layer.SetSpatialFilterRect(minx, miny, maxx, maxy);
    layer.ResetReading();
    return OGRFeatureUniquePtr{layer.GetNextFeature()} != nullptr;
}

// Whether the stated extent is that of the features, by a few questions to the spatial index.
bool holds(OGRLayer& layer, const OGREnvelope& box) {
    const double size = std::max({box.MaxX - box.MinX, box.MaxY - box.MinY, std::abs(box.MinX), std::abs(box.MaxX),
                                  std::abs(box.MinY), std::abs(box.MaxY), 1e-6});
    // Boxes in the index are of single precision.
    const double near = 1e-6 * size, far = 1e6 * size;
    return any_in(layer, box.MinX - near, box.MinY - near, box.MinX + near, box.MaxY + near) &&
           any_in(layer, box.MaxX - near, box.MinY - near, box.MaxX + near, box.MaxY + near) &&
           any_in(layer, box.MinX - near, box.MinY - near, box.MaxX + near, box.MinY + near) &&
           any_in(layer, box.MinX - near, box.MaxY - near, box.MaxX + near, box.MaxY + near) &&
           !any_in(layer, -far, -far, box.MinX - near, far) && !any_in(layer, box.MaxX + near, -far, far, far) &&
           !any_in(layer, -far, -far, far, box.MinY - near) && !any_in(layer, -far, box.MaxY + near, far, far);
}

}  // namespace

OGREnvelope layer_extent(GDALDataset& owner, OGRLayer& layer, const std::optional<OGREnvelope>& of_features) {
    const bool may_differ = layer.GetGeomType() != wkbNone && EQUAL(owner.GetDriverName(), "GPKG");
    if (may_differ && of_features) return *of_features;
    OGREnvelope stated;
    if (layer.GetGeomType() == wkbNone || layer.GetExtent(&stated, TRUE) != OGRERR_NONE) stated = {};
    if (!may_differ) return stated;
    const gdalmcp::gdal::quiet silence;
    const bool indexed = layer.TestCapability(OLCFastSpatialFilter) != FALSE;
    const bool right = indexed && stated.IsInit() && holds(layer, stated);
    layer.SetSpatialFilter(nullptr);
    layer.ResetReading();
    if (right) return stated;
    OGREnvelope real;
    while (const OGRFeatureUniquePtr f{layer.GetNextFeature()}) {
        const auto* shape = f->GetGeometryRef();
        if (!shape || shape->IsEmpty()) continue;
        OGREnvelope box;
        shape->getEnvelope(&box);
        real.Merge(box);
    }
    layer.ResetReading();
    return real;
}

}  // namespace gdalmcp_vector
