#include "ogr_whole_layers.hpp"

namespace gdalmcp_vector {

namespace gdal = gdalmcp::gdal;

std::optional<std::array<double, 4>> common_area(const source_layer& own, const source_layer& other) {
    const auto a = gdal::wgs84_bounds(own.extent, own.crs), b = gdal::wgs84_bounds(other.extent, other.crs);
    // Over the antimeridian, west is beyond east.
    if (!a || !b || (*a)[0] > (*a)[2] || (*b)[0] > (*b)[2]) return b;
    const std::array<double, 4> both{std::max((*a)[0], (*b)[0]), std::max((*a)[1], (*b)[1]), std::min((*a)[2], (*b)[2]),
                                     std::min((*a)[3], (*b)[3])};
    return both[0] <= both[2] && both[1] <= both[3] ? both : *b;
}

transformation reconciled(gdalmcp::call& call, const source_layer& own, const char* own_argument,
                          const source_layer& other, const char* other_argument) {
    for (const bool first : {true, false}) {
        const auto& missing = first ? own : other;
        const auto& stated = first ? other : own;
        if (!missing.crs.IsEmpty()) continue;
        throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT,
                             std::string{"layer '"} + missing.layer->GetName() + "' (" +
                                 (first ? own_argument : other_argument) + ") has no CRS" +
                                 (stated.crs.IsEmpty() ? std::string{}
                                                       : std::string{", "} + (first ? other_argument : own_argument) +
                                                             " is in " + gdal::crs_label(stated.crs)),
                             "state it with vector_convert and its 'crs'"};
    }
    return {other.crs, own.crs, common_area(own, other), true, [&](const std::string& text) { call.warn(text); }};
}

std::string transformed_text(const transformation& moved, const source_layer& other, const char* other_argument) {
    if (moved.none()) return {};
    return std::string{"; "} + other_argument + " transformed from " + gdal::crs_label(other.crs) + " (" +
           moved.about().name + ")";
}

void refuse_invalid(const held_layer& layer, const char* argument) {
    if (layer.invalid.empty()) return;
    std::string ids;
    for (std::size_t i = 0; i < std::min<std::size_t>(10, layer.invalid.size()); ++i)
        ids += (i ? ", " : "") + std::to_string(layer.invalid[i].id);
    throw gdalmcp::error{
        GDALMCP_INVALID_ARGUMENT,
        counted(static_cast<GIntBig>(layer.invalid.size())) + " of '" + argument + "' with invalid geometries: ids " +
            ids + (layer.invalid.size() > 10 ? ", …" : "") + "; the first: " + layer.invalid.front().reason,
        "correct them, or repair them for this call with repair: true, or leave them out with skip_failed: true"};
}

void warn_of_repaired(gdalmcp::call& call, std::initializer_list<const held_layer*> layers) {
    GIntBig invalid = 0, collapsed = 0;
    for (const auto* layer : layers)
        invalid += static_cast<GIntBig>(layer->invalid.size()), collapsed += layer->collapsed;
    if (invalid > 0)
        call.warn(counted(invalid) + " with invalid geometries were repaired first" +
                  (collapsed > 0 ? ", which leaves nothing of " + std::to_string(collapsed) : ""));
}

void warn_of_flattened(gdalmcp::call& call, std::initializer_list<const held_layer*> layers) {
    GIntBig z = 0, m = 0, curves = 0;
    for (const auto* layer : layers) z += layer->with_z, m += layer->with_m, curves += layer->with_curves;
    const auto left_out = [&](GIntBig n, const std::string& what) {
        if (n > 0) call.warn(what + " are left out (" + counted(n) + ")");
    };
    left_out(z, "heights (z)");
    left_out(m, "m values");
    warn_of_curves(call, curves);
}

int dimension_of(const held_layer& layer, const char* argument) {
    int found = -1;
    std::size_t first = 0;
    for (std::size_t i = 0; i < layer.size(); ++i) {
        if (!layer.shapes[i]) continue;
        const int own = geos::dimension(*layer.shapes[i]);
        if (found < 0) {
            found = own;
            first = i;
        }
        if (own != found)
            throw gdalmcp::error{
                GDALMCP_INVALID_ARGUMENT,
                std::string{"'"} + argument + "' mixes points, lines or polygons: features " +
                    std::to_string(layer.features[first]->GetFID()) + " and " +
                    std::to_string(layer.features[i]->GetFID()),
                "select those of one kind with vector_query and where \"OGR_GEOMETRY LIKE '%POLYGON'\" "
                "(or LINESTRING, POINT)"};
    }
    return found < 0 ? 2 : found;
}

void refuse_mixed_turns(const source_layer& one, const source_layer* other, bool on_ground) {
    double west = 0, east = 0;
    const source_layer* past = nullptr;
    for (const auto* layer : {&one, other}) {
        if (!layer || !layer->extent.IsInit() || layer->crs.IsEmpty() || !layer->crs.IsGeographic()) continue;
        const double unit = gdal::detail::degrees_per_unit(layer->crs);
        west = std::min(west, layer->extent.MinX * unit);
        east = std::max(east, layer->extent.MaxX * unit);
        constexpr double rounding = 1e-6;
        if (layer->extent.MinX * unit < -180 - rounding || layer->extent.MaxX * unit > 180 + rounding) past = layer;
    }
    if (!past || (!on_ground && east - west <= 360 && (west >= 0 || east <= 0))) return;
    throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT,
                         "layer '" + std::string{past->layer->GetName()} + "' reaches " + gdal::box_text(past->extent) +
                             ", past longitude 180, so that a place has two longitudes",
                         "cut it at 180 and shift what lies beyond by 360, or reproject the layers to a CRS that shows "
                         "the area in one piece, with vector_reproject"};
}

}  // namespace gdalmcp_vector
