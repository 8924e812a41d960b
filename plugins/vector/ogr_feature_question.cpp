#include "ogr_feature_question.hpp"

#include <algorithm>
#include <cmath>

#include "ogr_spatial_index.hpp"

namespace gdalmcp_vector {

namespace {

// Whether a part of it is left: less area, length or number of points.
bool is_part(const OGRGeometry& left, const OGRGeometry& whole) {
    constexpr double rounding = 1e-9;
    const auto size = [](const OGRGeometry& g) {
        auto* handle = OGRGeometry::ToHandle(const_cast<OGRGeometry*>(&g));
        return g.getDimension() == 2   ? OGR_G_Area(handle)
               : g.getDimension() == 1 ? OGR_G_Length(handle)
                                       : std::max(1, OGR_G_GetGeometryCount(handle));
    };
    return size(left) < (1 - rounding) * size(whole);
}

// How far chords that GDAL makes of a layer's arcs may lie from these: it tests by them what the index gives. One over
// 4 degrees is 0.9 % of its length off, and no longer than the layer. 0 where there are no arcs.
double farthest_chord(OGRLayer& layer, const OGREnvelope& extent) {
    const auto type = wkbFlatten(layer.GetGeomType());
    if (!extent.IsInit() || !(OGR_GT_IsNonLinear(type) || type == wkbUnknown || type == wkbGeometryCollection))
        return 0;
    return 0.009 * std::hypot(extent.MaxX - extent.MinX, extent.MaxY - extent.MinY);
}

}  // namespace

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
    area = gdalmcp::gdal::place_geometry(*given, call[gdalmcp::standard::geometry_crs], frame_of(from));
    area->tell(call);
    relation_ = call[relation].value;
    near.emplace(*area->shape, predicate_of(relation_));
    if (clip) scissors_.emplace(*area->shape);
    OGREnvelope box;
    area->shape->getEnvelope(&box);
    const double more = farthest_chord(source, from.extent);
    // Set only with an index: without one GDAL would run its own GEOS test on every feature as well.
    if (has_whole_index(*from.dataset, source))
        source.SetSpatialFilterRect(box.MinX - more, box.MinY - more, box.MaxX + more, box.MaxY + more);
}

std::optional<std::unique_ptr<OGRGeometry>> feature_question::match(OGRFeature& feature, match_tally& count) const {
    const auto* own = feature.GetGeometryRef();
    const bool bare = !own || own->IsEmpty();
    if (near && !bare) {
        OGREnvelope box;
        own->getEnvelope(&box);
        if (!near->may_accept(box)) return std::nullopt;
        ++count.in_box;
    }
    if (condition && !condition->accepts(feature)) return std::nullopt;
    if (near && bare) ++count.without_geometry;
    if (near && bare) return std::nullopt;
    ++count.meet_condition;
    const auto copy = [&] { return std::unique_ptr<OGRGeometry>{own ? own->clone() : nullptr}; };
    if (bare || (!near && own->getDimension() == 0)) return copy();
    const std::string reason = gdalmcp::gdal::invalid_reason(*own);
    const auto repaired = reason.empty() ? nullptr : gdalmcp::gdal::valid_form(*own);
    const auto& compared = repaired ? *repaired : *own;
    if (near && repaired) count.collapsed += repaired->IsEmpty();
    if (near && !near->accepts(compared)) return std::nullopt;
    ++count.meet_geometry;
    if (!reason.empty() && ++count.invalid <= 10) count.first_invalid.push_back({feature.GetFID(), reason});
    if (!clip) return copy();
    auto inside = scissors_->part_of(compared);
    if (!inside) ++count.clipped_away;
    if (repaired) count.taken.see(*own, inside.get());
    count.curves += lost_curves(*own, inside.get());
    count.cut += inside && is_part(*inside, compared);
    return inside ? std::optional{std::move(inside)} : std::nullopt;
}

std::string feature_question::what_was_left(const match_tally& count, GIntBig all) const {
    auto text = counted(all) + " in the layer";
    GIntBig left = all;
    const auto step = [&](GIntBig now, const std::string& what) {
        if (left > 0) text += ", " + std::to_string(now) + " of them " + what;
        left = now;
    };
    if (near) step(count.in_box, "in the box of 'geometry'");
    if (condition) step(count.meet_condition, "match 'where'");
    if (near) step(count.meet_geometry, relation_ == "intersects" ? "meet it" : "related to it by '" + relation_ + "'");
    if (clip) step(count.meet_geometry - count.clipped_away, "with anything left inside it ('clip')");
    if (count.without_geometry > 0)
        text += "; " + std::to_string(count.without_geometry) + " more without a geometry to compare";
    return text;
}

void refuse_apart(const feature_question& q, const match_tally& count, const source_layer& from) {
    if (!q.area || count.in_box > 0 || !from.extent.IsInit()) return;
    OGREnvelope box;
    q.area->shape->getEnvelope(&box);
    if (!from.extent.Intersects(box)) refuse_apart(*q.area, from, "geometry", "geometry_crs");
}

}  // namespace gdalmcp_vector
