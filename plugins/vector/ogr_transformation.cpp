#include "ogr_transformation.hpp"

#include <cmath>

namespace gdalmcp_vector {

using gdalmcp::gdal::crs_text;

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
    about_ = gdalmcp::gdal::required_operation(from, to, area, allow_ballpark);
    for (const auto& doubt : gdalmcp::gdal::doubts(about_)) say(doubt);
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

std::unique_ptr<OGRGeometry> transformation::apply_densified(const OGRGeometry& geometry) {
    if (!operation_) return std::unique_ptr<OGRGeometry>{geometry.clone()};
    auto moved = gdalmcp::gdal::detail::transform_densified(geometry, *operation_, false);
    return moved && finite(*moved) ? std::move(moved) : nullptr;
}

std::unique_ptr<OGRGeometry> transformation::apply_or_fail(const OGRGeometry& geometry, GIntBig feature_id) {
    if (auto moved = apply(geometry, true)) return moved;
    throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT,
                         "feature " + std::to_string(feature_id) + " has no place in OGC:CRS84, which GeoJSON needs",
                         "write to .gpkg, which keeps the layer's own CRS"};
}

}  // namespace gdalmcp_vector
