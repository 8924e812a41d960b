#include "ogr_layer_extent.hpp"

#include <gdalmcp/gdal.hpp>
#include <gdalmcp/gdal_degrees.hpp>

#include <algorithm>
#include <cmath>

#include "ogr_reading.hpp"
#include "ogr_spatial_index.hpp"

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

// Merges the boxes of the parts of a geometry, those that begin west of 0 a turn farther east.
void merge_turned(const OGRGeometry& shape, double turn, OGREnvelope& into) {
    if (shape.IsEmpty()) return;
    if (OGR_GT_IsSubClassOf(shape.getGeometryType(), wkbGeometryCollection)) {
        for (const auto* part : *shape.toGeometryCollection()) merge_turned(*part, turn, into);
        return;
    }
    OGREnvelope box;
    shape.getEnvelope(&box);
    if (box.MinX < 0) box.MinX += turn, box.MaxX += turn;
    into.Merge(box);
}

bool wide(const OGREnvelope& box, double turn) { return box.IsInit() && box.MaxX - box.MinX > turn / 2; }

// A turn around the Earth in units of the CRS, where a box is wider than half of it.
std::optional<double> turn_if_wide(const OGRSpatialReference& crs, const OGREnvelope& box) {
    if (!box.IsInit() || !crs.IsGeographic()) return std::nullopt;
    const double turn = 360 / gdalmcp::gdal::detail::degrees_per_unit(crs);
    if (!wide(box, turn) || box.MaxX > turn / 2 || box.MinX < -turn / 2) return std::nullopt;
    return turn;
}

}  // namespace

OGREnvelope extent_across_180(OGRLayer& layer, const OGRSpatialReference& crs, const OGREnvelope& plain) {
    const auto turn = turn_if_wide(crs, plain);
    if (!turn) return plain;
    const gdalmcp::gdal::quiet silence;
    OGREnvelope turned;
    layer.ResetReading();
    while (!wide(turned, *turn)) {
        const OGRFeatureUniquePtr f{layer.GetNextFeature()};
        if (!f) break;
        if (const auto* shape = f->GetGeometryRef()) merge_turned(*shape, *turn, turned);
    }
    layer.ResetReading();
    return turned.IsInit() && !wide(turned, *turn) ? turned : plain;
}

OGREnvelope extent_across_180(const OGRGeometry& shape, const OGRSpatialReference& crs) {
    OGREnvelope plain, turned;
    shape.getEnvelope(&plain);
    const auto turn = turn_if_wide(crs, plain);
    if (turn) merge_turned(shape, *turn, turned);
    return turned.IsInit() && !wide(turned, *turn) ? turned : plain;
}

OGREnvelope layer_extent(GDALDataset& owner, OGRLayer& layer, const std::optional<OGREnvelope>& of_features) {
    const bool may_differ = layer.GetGeomType() != wkbNone && EQUAL(owner.GetDriverName(), "GPKG");
    if (may_differ && of_features) return *of_features;
    const past_damage further;
    OGREnvelope stated;
    // Of an empty Shapefile GDAL gives its header's, a box at 0, 0.
    const bool nothing = layer.GetGeomType() == wkbNone || layer.GetFeatureCount(FALSE) == 0;
    if (nothing || layer.GetExtent(&stated, TRUE) != OGRERR_NONE) stated = {};
    if (!may_differ) return stated;
    const gdalmcp::gdal::quiet silence;
    const bool indexed = layer.TestCapability(OLCFastSpatialFilter) && lacking_in_index(layer) == 0;
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
