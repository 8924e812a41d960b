#include "ogr_feature_question.hpp"

namespace gdalmcp_vector {

feature_question::feature_question(gdalmcp::call& call, const source_layer& from) {
    auto& source = *from.layer;
    if (const auto text = call[where]) condition.emplace(source, *text);
    clip = call[gdalmcp_vector::clip];
    const auto given = call[gdalmcp::standard::geometry];
    if (!given) {
        if (clip)
            throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT, "'clip' is true, but there is no 'geometry' to clip by",
                                 "give 'geometry', or leave 'clip' out"};
        return;
    }
    if (source.GetGeomType() == wkbNone)
        throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT,
                             "layer '" + std::string{source.GetName()} + "' is a table without geometries",
                             "leave 'geometry' out and use 'where'"};
    area = gdalmcp::gdal::place_geometry(*given, call[gdalmcp::standard::geometry_crs], {from.crs, from.extent});
    area->tell(call);
    near.emplace(*area->shape, predicate_of(call[relation].value));
    OGREnvelope box;
    area->shape->getEnvelope(&box);
    if (from.extent.IsInit() && !from.extent.Intersects(box))
        call.warn("'geometry' does not meet the layer, which covers " +
                  gdalmcp::gdal::extent_text(from.extent, from.crs));
    // Set only with an index: without one GDAL would run its own GEOS test on every feature as well.
    if (source.TestCapability(OLCFastSpatialFilter))
        source.SetSpatialFilterRect(box.MinX, box.MinY, box.MaxX, box.MaxY);
}

std::optional<std::unique_ptr<OGRGeometry>> feature_question::match(OGRFeature& feature, match_tally& count) const {
    if (condition && !condition->accepts(feature)) return std::nullopt;
    const auto* own = feature.GetGeometryRef();
    const auto copy = [&] { return std::unique_ptr<OGRGeometry>{own ? own->clone() : nullptr}; };
    if (!own || own->IsEmpty()) {
        if (near) ++count.without_geometry;
        return near ? std::nullopt : std::optional{copy()};
    }
    if (!near && own->getDimension() == 0) return copy();
    OGREnvelope box;
    own->getEnvelope(&box);
    if (near && !near->may_accept(box)) return std::nullopt;
    const std::string reason = gdalmcp::gdal::invalid_reason(*own);
    std::unique_ptr<OGRGeometry> repaired{reason.empty() ? nullptr : own->MakeValid()};
    const auto& compared = repaired ? *repaired : *own;
    if (near && !near->accepts(compared)) return std::nullopt;
    if (!reason.empty() && ++count.invalid <= 10) count.first_invalid.push_back({feature.GetFID(), reason});
    if (!clip) return copy();
    auto inside = clipped(compared, *area->shape);
    if (!inside) ++count.clipped_away;
    return inside ? std::optional{std::move(inside)} : std::nullopt;
}

}  // namespace gdalmcp_vector
