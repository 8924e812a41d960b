#include "ogr_whole_layers.hpp"

namespace gdalmcp_vector {

namespace gdal = gdalmcp::gdal;

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
    return {other.crs, own.crs, gdal::wgs84_bounds(other.extent, other.crs), false,
            [&](const std::string& text) { call.warn(text); }};
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
    throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT,
                         counted(static_cast<GIntBig>(layer.invalid.size())) + " of '" + argument +
                             "' with invalid geometries: ids " + ids + (layer.invalid.size() > 10 ? ", …" : "") +
                             "; the first: " + layer.invalid.front().reason,
                         "correct them, or repair them for this call with repair: true"};
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
            throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT,
                                 std::string{"'"} + argument + "' mixes points, lines or polygons: features " +
                                     std::to_string(layer.features[first]->GetFID()) + " and " +
                                     std::to_string(layer.features[i]->GetFID()),
                                 "select those of one kind with vector_query"};
    }
    return found < 0 ? 2 : found;
}

}  // namespace gdalmcp_vector
