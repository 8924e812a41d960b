// vector_query: the features of a layer that meet a geometry and a condition, as a new dataset.
#include "ogr_feature_question.hpp"
#include "ogr_geojson.hpp"
#include "ogr_ordering.hpp"
#include "ogr_repair.hpp"
#include "ogr_shapes.hpp"
#include "ogr_total_row.hpp"
#include "ogr_whole_values.hpp"
#include "tools.hpp"

#include <cmath>
#include <functional>
#include <limits>

namespace gdalmcp_vector::vector_query {

namespace {

using gdalmcp::arg;
using gdalmcp::field;

// Bytes of features[] in the result; more belongs in the output.
constexpr std::size_t preview_budget = 50'000;

const arg<std::optional<std::int64_t>> limit{
    .name = "limit", .about = "Keep the first n by 'order', or of the file.", .min = 1};
const arg<std::optional<std::vector<std::string>>> order{
    .name = "order",
    .about = "Sort by these, \"pop desc\" from the largest; nulls last.",
    .min_items = 1,
    .max_items = 8};
const arg<std::int64_t> show{
    .name = "show", .about = "Features shown, at most 50 kB.", .fallback = 3, .min = 0, .max = 1000};
const arg<std::optional<std::string>> purpose{
    .name = "purpose", .about = "The claim it supports, in a sentence. Default: none, exploratory."};

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

// What is written of the matches, and what of it is shown.
struct answer {
    const output_layer& result;
    const feature_preview& preview;
    GIntBig all;          // features of the layer
    std::string order{};  // by which they are sorted
    std::string last{};   // the values of the last one kept, where 'limit' left some out
    GIntBig tied = 0;     // left out with the same values
    std::string there{};  // values of the fields of a condition that no feature meets
    bool cut(const match_tally& count) const { return result.written() < count.matched; }
};

std::string review(const answer& a, const feature_question& q, const match_tally& count) {
    if (count.matched == 0) return "nothing is left: " + q.what_was_left(count, a.all);
    const auto kept = a.result.written();
    const auto& preview = a.preview;
    std::string text = counted(kept);
    if (a.cut(count)) {
        text += " of " + std::to_string(count.matched) + " that match ('limit')";
        text += a.order.empty() ? ", the first of the file: no ranking, no sample" : ", up to " + a.last;
        if (a.tied > 0) text += ", which " + std::to_string(a.tied) + " of those left out have as well";
    }
    if (!a.order.empty()) text += "; by " + a.order + ", the ids in the output count in this order";
    if (preview.shown() < kept)
        text += "; " + std::to_string(preview.shown()) + " shown, read the rest from the output";
    if (preview.shortened() > 0)
        text += "; " + std::to_string(preview.shortened()) + " shown without its coordinates: pass the output's URI on";
    if (preview.outside() > 0)
        text += "; " + std::to_string(preview.outside()) + " shown without geometry: it has no longitude and latitude";
    if (!preview.in_wgs84() && a.result.type() != wkbNone)
        text += "; the layer has no CRS, coordinates are shown as they are";
    return text;
}

void report(gdalmcp::call& call, const feature_question& q, const match_tally& count, const answer& a,
            const OGRSpatialReference& out_crs) {
    const auto& result = a.result;
    call.put(matched_total, count.matched);
    call.put(truncated, a.cut(count));
    call.put(geometry_type, geometry_type_name(result.type()));
    if (result.bounds().IsInit()) bounds.put(call, result.bounds(), out_crs);
    if (q.area) q.area->put(call);
    if (q.clip) call.put(clipped_away, count.clipped_away);
    call.put(without_geometry, count.without_geometry);
    call.put(invalid_count, count.invalid);
    if (count.invalid > 0) invalid.put(call, count.first_invalid);
    call.put(features, {a.preview.text()});
    call.put(features_shown, a.preview.shown());
    call.put(note, review(a, q, count));
    if (count.matched == 0)
        call.warn("no feature is selected: " + q.what_was_left(count, a.all) + (a.there.empty() ? "" : "; " + a.there));
    count.taken.tell(call);
    warn_of_curves(call, count.curves);
    if (count.collapsed > 0)
        call.warn("a repair leaves nothing of " + counted(count.collapsed) + " that 'geometry' could match");
    if (count.invalid > 0)
        call.warn(std::to_string(count.invalid) +
                  " matching features have invalid geometries (listed in 'invalid'); they were compared by their "
                  "repaired form" +
                  (q.clip ? " and clipped from it" : " and kept as they are"));
    call.say(std::to_string(count.matched) + (count.matched == 1 ? " feature matches" : " features match") +
             (a.cut(count) ? ", " + std::to_string(result.written()) + " kept" : std::string{}));
}

using keeper = std::function<void(const OGRFeature&, std::unique_ptr<OGRGeometry>)>;

void write_ranked(ranking& best, const keeper& keep, layer_pass& pass, const match_tally& count, answer& a) {
    a.order = best.order().said();
    a.tied = best.tied();
    auto ranked = best.ranked();
    GIntBig rank = 0;
    for (auto& one : ranked)
        pass.attempt(*one.feature, [&] {
            // Databases keep features by id, not as they were written.
            one.feature->SetFID(++rank);
            keep(*one.feature, std::move(one.geometry));
        });
    if (static_cast<GIntBig>(ranked.size()) < count.matched) a.last = best.order().said(*ranked.back().feature);
}

void run(gdalmcp::call& call) {
    total_row total;
    auto from = open_layer(call, call[src_crs]);
    total.opened();
    call.put(layer, from.layer->GetName());
    format_of(call[output].path);
    const auto all = std::max<GIntBig>(0, feature_count(*from.layer));
    const feature_question q{call, from};
    const GIntBig most = call[limit].value_or(std::numeric_limits<GIntBig>::max());
    std::optional<ranking> best;
    if (const auto by = call[order]) best.emplace(feature_order{*from.layer, *by}, most);
    const auto& e = from.extent;
    if (q.area && e.IsInit() && std::isfinite(e.MinX + e.MaxX + e.MinY + e.MaxY))
        layer_bounds.put(call, from.extent, from.crs);
    layer_design design{from.layer->GetGeomType(), wants_multi(from, q.clip), nullptr,
                        all_fields(*from.layer->GetLayerDefn())};
    if (const auto names = call[attributes]) design.fields = fields_named(*from.layer, *names);
    layer_pass pass{call, from, design};
    feature_preview preview{from.crs.IsEmpty() ? nullptr : &from.crs, design.fields, call[show], preview_budget};
    const auto keep = [&](const OGRFeature& feature, std::unique_ptr<OGRGeometry> geometry) {
        preview.add(feature, geometry.get());
        pass.add(feature, std::move(geometry));
    };
    match_tally count;
    pass.run(
        call, "selecting features",
        [&](OGRFeature& feature) {
            if (const auto* own = feature.GetGeometryRef(); own && !own->IsEmpty()) {
                OGREnvelope box;
                own->getEnvelope(&box);
                require_finite(box);
            }
            auto geometry = q.match(feature, count);
            total.see(feature, geometry.has_value());
            if (!geometry) return true;
            ++count.matched;
            if (best)
                best->add(feature, std::move(*geometry));
            else if (count.matched <= most)
                keep(feature, std::move(*geometry));
            return true;
        },
        best ? 0.8 : 0.95);
    refuse_apart(q, count, from);
    total.tell(call);
    answer a{pass.result(), preview, all};
    if (q.condition && count.meet_condition == 0) a.there = q.condition->values_there(*from.layer);
    if (best) write_ranked(*best, keep, pass, count, a);
    if (const auto field = best ? best->order().misordered() : std::string{}; !field.empty())
        call.warn("'" + field + "' is text, and its numbers are ordered as text ('10' before '9'); " +
                  call_for(field, "number", field) + " makes numbers of it");
    if (count.cut > 0)
        warn_of_whole_values(call,
                             a.cut(count)     ? "any feature that was cut keeps"
                             : count.cut == 1 ? counted(count.cut) + " that was cut keeps"
                                              : counted(count.cut) + " that were cut keep",
                             {&pass.result().definition()});
    pass.finish(call);
    report(call, q, count, a, pass.out_crs());
}

}  // namespace

const gdalmcp::tool tool{
    {.name = "vector_query",
     .title = "Select features",
     .about = "Selects features by true geometry and attributes into a new dataset. No match is "
              "an answer ('note' names the filter). Give 'purpose' when a claim rests on the result.",
     .behaviour = GDALMCP_DESTRUCTIVE | GDALMCP_IDEMPOTENT},
    run,
    {uri, gdalmcp::standard::geometry, gdalmcp::standard::geometry_crs, relation, where, attributes, clip, order, limit,
     only_layer_name, src_crs, show, skip_failed, purpose, output, overwrite},
    {layer, features_written, matched_total, truncated, geometry_type, layer_crs.all, optional_bounds,
     optional_layer_bounds, used, used_crs, clipped_away, without_geometry, invalid_count, optional_invalid, failed_ids,
     failed_count, features, features_shown, note}};

}  // namespace gdalmcp_vector::vector_query
