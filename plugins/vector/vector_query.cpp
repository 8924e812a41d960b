// vector_query: the features of a layer that meet a geometry and a condition, as a new dataset.
#include "ogr_geojson.hpp"
#include "ogr_layer_pass.hpp"
#include "ogr_selection.hpp"
#include "tools.hpp"

#include <limits>

namespace gdalmcp_vector {

namespace {

using gdalmcp::arg;
using gdalmcp::field;

// Bytes of features[] in the result; more belongs in the output.
constexpr std::size_t preview_budget = 50'000;

const arg<std::optional<std::string>> where{
    .name = "where", .about = "Condition in OGR SQL, text in single quotes.", .examples = {"\"pop > 1000\""}};
const arg<std::optional<std::vector<std::string>>> attributes{
    .name = "attributes", .about = "Fields to keep, in this order; [] keeps the geometry alone. Default: all."};
const arg<gdalmcp::choice> relation{
    .name = "predicate",
    .about = "By true geometry; intersects includes touching.",
    .fallback = gdalmcp::choice{"intersects"},
    .values = {"intersects", "within", "contains"},
    .synonyms = {{"intersect", "intersects"}, {"contain", "contains"}, {"inside", "within"}}};
const arg<bool> clip{.name = "clip", .about = "Cut features at the edge of 'geometry'.", .fallback = false};
const arg<std::optional<std::int64_t>> limit{.name = "limit",
                                             .about = "Keep the first n in file order (no sample). Default: all.",
                                             .unit = "features",
                                             .min = 1};
const arg<std::int64_t> show{.name = "show",
                             .about = "Features shown in the result, at most 50 kB.",
                             .unit = "features",
                             .fallback = 3,
                             .min = 0,
                             .max = 1000};
const arg<std::optional<std::string>> purpose{
    .name = "purpose", .about = "The claim the result supports, in one sentence. Default: exploratory, no claim."};

const field<std::string> layer{"layer", "Queried layer; also the output's layer name"};
const field<std::int64_t> matched_total{"matched_total", "Before 'limit', without those clipped away", "features"};
const field<bool> truncated{"truncated", "'limit' left features out"};
const field<std::string> geometry_type{"geometry_type", "Declared by the output"};
const gdalmcp::gdal::bounds_record bounds{"bounds", "Extent; absent without geometries"};
const gdalmcp::gdal::bounds_record layer_bounds{"layer_bounds", "Extent of the whole layer; with 'geometry'"};
const gdalmcp::record optional_bounds = bounds.all.optional();
const gdalmcp::record optional_layer_bounds = layer_bounds.all.optional();
const field<gdalmcp::json_text> used = gdalmcp::gdal::geometry_used.optional();
const field<std::string> used_crs = gdalmcp::gdal::geometry_crs_used.optional();
const field<std::int64_t> clipped_away =
    field<std::int64_t>{"clipped_away", "Matches of which 'clip' left nothing", "features"}.optional();
const field<std::int64_t> without_geometry{"without_geometry", "Match 'where', cannot be compared", "features"};
const field<std::int64_t> invalid_count{"invalid_count", "Invalid matches, compared repaired", "features"};
const invalid_table invalid{"invalid", "The first 10"};
const gdalmcp::table optional_invalid = invalid.all.optional();
const field<gdalmcp::json_text> features{"features",
                                         "First features as GeoJSON in OGC:CRS84 (in the layer's coordinates where it "
                                         "has no CRS); geometries above 500 bytes are null"};
const field<std::int64_t> features_shown{"features_shown", "In 'features'", "features"};
const field<std::string> note{"note", "Cautions for this result"};

struct question {
    std::optional<gdalmcp::gdal::placed_geometry> area;
    std::optional<spatial_filter> near;
    std::optional<attribute_filter> condition;
    bool clip = false;
    GIntBig limit = std::numeric_limits<GIntBig>::max();
};

struct tally {
    GIntBig matched = 0, clipped_away = 0, without_geometry = 0, invalid = 0;
    std::vector<invalid_feature> first_invalid;
};

// The geometry a matching feature has in the result (nullptr: none), or nullopt if the feature does not match.
std::optional<std::unique_ptr<OGRGeometry>> match(OGRFeature& feature, const question& q, tally& count) {
    const auto* own = feature.GetGeometryRef();
    const auto copy = [&] { return std::unique_ptr<OGRGeometry>{own ? own->clone() : nullptr}; };
    if (!own || own->IsEmpty()) {
        if (q.near) ++count.without_geometry;
        return q.near ? std::nullopt : std::optional{copy()};
    }
    if (!q.near && own->getDimension() == 0) return copy();
    OGREnvelope box;
    own->getEnvelope(&box);
    if (q.near && !q.near->may_accept(box)) return std::nullopt;
    const std::string reason = gdalmcp::gdal::invalid_reason(*own);
    std::unique_ptr<OGRGeometry> repaired{reason.empty() ? nullptr : own->MakeValid()};
    const auto& compared = repaired ? *repaired : *own;
    if (q.near && !q.near->accepts(compared)) return std::nullopt;
    if (!reason.empty() && ++count.invalid <= 10) count.first_invalid.push_back({feature.GetFID(), reason});
    if (!q.clip) return copy();
    auto inside = clipped(compared, *q.area->shape);
    if (!inside) ++count.clipped_away;
    return inside ? std::optional{std::move(inside)} : std::nullopt;
}

question ask(gdalmcp::call& call, OGRLayer& source, const OGRSpatialReference& own_crs, const OGREnvelope& extent) {
    question q;
    if (const auto text = call[where]) q.condition.emplace(source, *text);
    if (const auto most = call[limit]) q.limit = *most;
    q.clip = call[clip];
    const auto given = call[gdalmcp::standard::geometry];
    if (!given) {
        if (q.clip)
            throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT, "'clip' is true, but there is no 'geometry' to clip by",
                                 "give 'geometry', or leave 'clip' out"};
        return q;
    }
    if (source.GetGeomType() == wkbNone)
        throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT,
                             "layer '" + std::string{source.GetName()} + "' is a table without geometries",
                             "leave 'geometry' out and use 'where'"};
    q.area = gdalmcp::gdal::place_geometry(*given, call[gdalmcp::standard::geometry_crs], {own_crs, extent});
    for (const auto& text : q.area->said) call.say(text);
    for (const auto& text : q.area->warnings) call.warn(text);
    q.near.emplace(*q.area->shape, predicate_of(call[relation].value));
    OGREnvelope box;
    q.area->shape->getEnvelope(&box);
    if (extent.IsInit() && !extent.Intersects(box))
        call.warn("'geometry' does not meet the layer, which covers " + gdalmcp::gdal::extent_text(extent, own_crs));
    // Set only with an index: without one GDAL would run its own GEOS test on every feature as well.
    if (source.TestCapability(OLCFastSpatialFilter))
        source.SetSpatialFilterRect(box.MinX, box.MinY, box.MaxX, box.MaxY);
    return q;
}

std::string review(GIntBig kept, const tally& count, const feature_preview& preview, bool cut) {
    if (count.matched == 0) return "no feature meets the conditions; the output is a layer without features";
    std::string text = counted(kept);
    if (cut) text += " of " + std::to_string(count.matched) + " that match ('limit')";
    if (preview.shown() < kept)
        text += "; " + std::to_string(preview.shown()) + " shown, read the rest from the output";
    if (preview.shortened() > 0)
        text += "; " + std::to_string(preview.shortened()) + " shown without its coordinates: pass the output's URI on";
    if (preview.outside() > 0)
        text += "; " + std::to_string(preview.outside()) + " shown without geometry: it has no longitude and latitude";
    if (!preview.in_wgs84()) text += "; the layer has no CRS, coordinates are shown as they are";
    return text;
}

void report(gdalmcp::call& call, const question& q, const tally& count, const output_layer& result,
            const feature_preview& preview, const OGRSpatialReference& out_crs) {
    const GIntBig kept = result.written();
    const bool cut = kept < count.matched;
    call.put(matched_total, count.matched);
    call.put(truncated, cut);
    call.put(geometry_type, geometry_type_name(result.type()));
    if (result.bounds().IsInit()) bounds.put(call, result.bounds(), out_crs);
    if (q.area) q.area->put(call);
    if (q.clip) call.put(clipped_away, count.clipped_away);
    call.put(without_geometry, count.without_geometry);
    call.put(invalid_count, count.invalid);
    if (count.invalid > 0) invalid.put(call, count.first_invalid);
    call.put(features, {preview.text()});
    call.put(features_shown, preview.shown());
    call.put(note, review(kept, count, preview, cut));
    if (count.invalid > 0)
        call.warn(std::to_string(count.invalid) +
                  " matching features have invalid geometries (listed in 'invalid'); they were compared by their "
                  "repaired form" +
                  (q.clip ? " and clipped from it" : " and kept as they are"));
    call.say(std::to_string(count.matched) + " features match" +
             (cut ? ", " + std::to_string(kept) + " kept" : std::string{}));
}

void run(gdalmcp::call& call) {
    auto from = open_layer(call, call[src_crs]);
    call.put(layer, from.layer->GetName());
    format_of(call[output].path);
    const auto q = ask(call, *from.layer, from.crs, from.extent);
    if (q.area && from.extent.IsInit()) layer_bounds.put(call, from.extent, from.crs);
    layer_design design{from.layer->GetGeomType(), wants_multi(from, q.clip), nullptr,
                        all_fields(*from.layer->GetLayerDefn())};
    if (const auto names = call[attributes]) design.fields = fields_named(*from.layer, *names);
    layer_pass pass{call, from, design};
    feature_preview preview{from.crs.IsEmpty() ? nullptr : &from.crs, design.fields, call[show], preview_budget};
    tally count;
    pass.run(call, "selecting features", [&](OGRFeature& feature) {
        if (q.condition && !q.condition->accepts(feature)) return true;
        auto geometry = match(feature, q, count);
        if (!geometry || ++count.matched > q.limit) return true;
        preview.add(feature, geometry->get());
        pass.add(feature, std::move(*geometry));
        return true;
    });
    pass.finish(call);
    report(call, q, count, pass.result(), preview, pass.out_crs());
}

}  // namespace

const gdalmcp::tool vector_query{
    {.name = "vector_query",
     .title = "Select features",
     .about = "Selects features by true geometry and attributes into a new dataset. No match is "
              "an answer (feature_count 0). Give 'purpose' when a claim rests on the result.",
     .behaviour = GDALMCP_DESTRUCTIVE | GDALMCP_IDEMPOTENT},
    run,
    {uri, gdalmcp::standard::geometry, gdalmcp::standard::geometry_crs, relation, where, attributes, clip, limit,
     only_layer_name, src_crs, show, skip_failed, purpose, output, overwrite},
    {layer, features_written, matched_total, truncated, geometry_type, layer_crs.all, optional_bounds,
     optional_layer_bounds, used, used_crs, clipped_away, without_geometry, invalid_count, optional_invalid, failed_ids,
     failed_count, features, features_shown, note}};

}  // namespace gdalmcp_vector
