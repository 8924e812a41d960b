#include "ogr_transformation.hpp"

#include <cmath>

namespace gdalmcp_vector {

namespace {

using gdalmcp::gdal::crs_text;

void doubts(const gdalmcp::gdal::operation& o, const notice& say) {
    if (o.ballpark)
        say("ballpark transformation '" + o.name +
            "': no datum shift is known, positions may be off by hundreds of metres");
    else if (!o.accuracy)
        say("the accuracy of the transformation '" + o.name + "' is unknown");
    if (o.grid_missing) say("a better transformation exists, but its grid " + o.missing_grid + " is not installed");
}

}  // namespace

bool finite(const OGRGeometry& geometry) {
    OGREnvelope box;
    geometry.getEnvelope(&box);
    return std::isfinite(box.MinX) && std::isfinite(box.MinY) && std::isfinite(box.MaxX) && std::isfinite(box.MaxY);
}

bool same_coordinates(const OGRSpatialReference& a, const OGRSpatialReference& b) {
    constexpr const char* options[] = {"CRITERION=EQUIVALENT_EXCEPT_AXIS_ORDER_GEOGCRS",
                                       "IGNORE_DATA_AXIS_TO_SRS_AXIS_MAPPING=YES", nullptr};
    return a.IsSame(&b, options) != FALSE;
}

OGRSpatialReference crs_of(OGRLayer& layer, const std::optional<gdalmcp::crs>& given, const notice& say) {
    auto own = gdalmcp::gdal::stated_crs(layer.GetSpatialRef());
    if (!given || layer.GetGeomType() == wkbNone) return own;
    const auto told = gdalmcp::gdal::crs_argument(given->text, "src_crs");
    if (!own.IsEmpty() && !same_coordinates(own, told))
        say("layer '" + std::string{layer.GetName()} + "' declares " + crs_text(own) + ", but src_crs " +
            crs_text(told) + " was used");
    return told;
}

transformation::transformation(const OGRSpatialReference& from, const OGRSpatialReference& to,
                               const std::optional<std::array<double, 4>>& area, bool allow_ballpark,
                               const notice& say) {
    if (same_coordinates(from, to)) {
        about_.name = "none: both CRSs are the same";
        about_.accuracy = 0.0;
        return;
    }
    if (auto best = gdalmcp::gdal::best_operation(from, to, area)) about_ = *best;
    if (about_.ballpark && !allow_ballpark)
        throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT,
                             "from " + crs_text(from) + " to " + crs_text(to) +
                                 " only a ballpark transformation is known ('" + about_.name +
                                 "'): no datum shift is applied, positions may be off by hundreds of metres",
                             "name the true source CRS with 'src_crs', or accept the error with allow_ballpark: true"};
    doubts(about_, say);
    OGRCoordinateTransformationOptions options;
    options.SetBallparkAllowed(allow_ballpark);
    {
        const gdalmcp::gdal::quiet silence;
        operation_.reset(OGRCreateCoordinateTransformation(&from, &to, options));
    }
    if (!operation_)
        throw gdalmcp::error{GDALMCP_UNSUPPORTED,
                             "PROJ has no transformation from " + crs_text(from) + " to " + crs_text(to),
                             "choose another 'dst_crs', or name the true source CRS with 'src_crs'"};
}

std::unique_ptr<OGRGeometry> transformation::apply(const OGRGeometry& geometry, bool wrap) {
    if (!operation_ && !wrap) return std::unique_ptr<OGRGeometry>{geometry.clone()};
    const gdalmcp::gdal::quiet silence;
    std::unique_ptr<OGRGeometry> moved;
    if (wrap) {
        constexpr const char* options[] = {"WRAPDATELINE=YES", nullptr};
        moved.reset(OGRGeometryFactory::transformWithOptions(&geometry, operation_.get(), const_cast<char**>(options)));
    } else {
        moved.reset(geometry.clone());
        if (moved->transform(operation_.get()) != OGRERR_NONE) return nullptr;
    }
    if (!moved || (!moved->IsEmpty() && !finite(*moved))) return nullptr;
    return moved;
}

std::unique_ptr<OGRGeometry> transformation::apply_or_fail(const OGRGeometry& geometry, GIntBig feature_id) {
    if (auto moved = apply(geometry, true)) return moved;
    throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT,
                         "feature " + std::to_string(feature_id) + " has no place in OGC:CRS84, which GeoJSON needs",
                         "write to .gpkg, which keeps the layer's own CRS"};
}

}  // namespace gdalmcp_vector
