// vector_query: the features of a layer that meet a geometry and a condition, as a new dataset.
#include "arguments.hpp"
#include "datasets/gdal_output.hpp"
#include "ogr_geojson.hpp"
#include "ogr_output_layer.hpp"
#include "ogr_selection.hpp"
#include "ogr_transformation.hpp"
#include "tools.hpp"

#include <limits>

namespace gdalmcp_vector {

namespace {

using gdalmcp::arg;
using gdalmcp::field;

// Bytes of features[] in the result; more belongs in the output.
constexpr std::size_t preview_budget = 50'000;

const auto& layer_name = gdalmcp::standard::layer;
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
const arg<bool> skip_failed{
    .name = "skip_failed", .about = "Leave out and name damaged features, instead of failing.", .fallback = false};
const arg<std::optional<std::string>> purpose{
    .name = "purpose", .about = "The claim the result supports, in one sentence. Default: exploratory, no claim."};

const field<std::string> layer{"layer", "Queried layer; also the output's layer name"};
const field<std::int64_t> feature_count{"feature_count", "Features in the result", "features"};
const field<std::int64_t> matched_total{"matched_total", "Before 'limit', without those clipped away", "features"};
const field<bool> truncated{"truncated", "'limit' left features out"};
const field<std::string> geometry_type{"geometry_type", "Declared by the output"};
const gdalmcp::gdal::crs_record crs{"crs", "CRS of the output"};
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
    left_out failed;
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

// GeoJSON holds WGS 84 only, so its features are transformed on the way out.
std::optional<transformation> towards(const format& f, const OGRSpatialReference& own_crs, const OGREnvelope& extent,
                                      const notice& say) {
    if (!f.wgs84_only) return std::nullopt;
    if (own_crs.IsEmpty())
        throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT, "the layer has no CRS, and GeoJSON holds WGS 84 only (RFC 7946)",
                             "give the CRS of its coordinates with 'src_crs', or write to .gpkg"};
    const auto wgs84 = *gdalmcp::gdal::parse_crs("OGC:CRS84");
    if (!same_coordinates(own_crs, wgs84))
        say("GeoJSON holds WGS 84 only (RFC 7946): coordinates were transformed from " +
            gdalmcp::gdal::crs_text(own_crs) + " to OGC:CRS84");
    return std::optional<transformation>{std::in_place, own_crs, wgs84, gdalmcp::gdal::wgs84_bounds(extent, own_crs),
                                         true,          say};
}

// A Shapefile calls multi-part and single-part geometries by one type; other formats do not.
bool wants_multi(GDALDataset& source, OGRLayer& l, bool clips) {
    const auto type = wkbFlatten(l.GetGeomType());
    if (clips) return type == wkbPolygon || type == wkbLineString;
    return EQUAL(source.GetDriverName(), "ESRI Shapefile") && holds_multi_parts(l);
}

std::string counted(GIntBig n) { return std::to_string(n) + (n == 1 ? " feature" : " features"); }

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
    call.put(feature_count, kept);
    call.put(matched_total, count.matched);
    call.put(truncated, cut);
    call.put(geometry_type, geometry_type_name(result.type()));
    crs.put(call, out_crs);
    if (result.bounds().IsInit()) bounds.put(call, result.bounds(), out_crs);
    if (q.area) q.area->put(call);
    if (q.clip) call.put(clipped_away, count.clipped_away);
    call.put(without_geometry, count.without_geometry);
    call.put(invalid_count, count.invalid);
    if (count.invalid > 0) invalid.put(call, count.first_invalid);
    if (call[skip_failed]) {
        call.put(failed_ids, count.failed.ids);
        call.put(failed_count, count.failed.count);
    }
    if (count.failed.count > 0)
        call.warn(counted(count.failed.count) +
                  " of the layer could not be read and were left out (failed_ids): " + count.failed.first_reason);
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
    const auto source = open_source(call);
    auto& from = gdalmcp::gdal::layer_of(*source, call[layer_name]);
    const notice say = [&](const std::string& text) { call.warn(text); };
    const auto own_crs = crs_of(from, call[src_crs], say);
    const auto extent = extent_of(from);
    call.put(layer, from.GetName());
    if (const auto text = gdalmcp::gdal::recognised(from); !text.empty()) call.say(text);

    const auto wanted = call[output];
    const auto& target = format_of(wanted.path);
    const auto q = ask(call, from, own_crs, extent);
    if (q.area && extent.IsInit()) layer_bounds.put(call, extent, own_crs);
    auto moved = towards(target, own_crs, extent, say);
    const bool table = from.GetGeomType() == wkbNone && !moved;  // has no coordinates, hence no CRS
    const auto out_crs = moved ? *gdalmcp::gdal::parse_crs("OGC:CRS84") : table ? OGRSpatialReference{} : own_crs;
    layer_design design{from.GetGeomType(), wants_multi(*source, from, q.clip), out_crs.IsEmpty() ? nullptr : &out_crs,
                        all_fields(*from.GetLayerDefn())};
    if (const auto names = call[attributes]) design.fields = fields_named(from, *names);

    auto out = gdalmcp_datasets::create_vector(call[output].path, target.driver);
    output_layer result{*out, target, *source, from, design, say};
    feature_preview preview{own_crs.IsEmpty() ? nullptr : &own_crs, design.fields, call[show], preview_budget};
    tally count;
    GIntBig read = 0;
    const auto select = [&](OGRFeature& feature) {
        ++read;
        if (q.condition && !q.condition->accepts(feature)) return true;
        auto geometry = match(feature, q, count);
        if (!geometry || ++count.matched > q.limit) return true;
        preview.add(feature, geometry->get());
        if (moved && *geometry) *geometry = moved->apply_or_fail(**geometry, feature.GetFID());
        result.add(feature, std::move(*geometry));
        return true;
    };
    const auto progress = call.part(0.0, 0.95, "selecting features");
    if (call[skip_failed])
        for_each_readable_feature(from, progress, select, count.failed);
    else
        for_each_feature(from, progress, select);
    result.finish();
    // Of an index only the features near 'geometry' are read.
    if (const auto declared = from.GetFeatureCount(FALSE); !from.GetSpatialFilter() && declared > read)
        say("the layer declares " + std::to_string(declared) + " features, and only " + std::to_string(read) +
            " could be read" + (count.failed.count > 0 ? "" : ": the file may be damaged"));
    gdalmcp_datasets::close_vector(std::move(out), call[output].path);
    expect_features(call, result.written(), out_crs);
    report(call, q, count, result, preview, out_crs);
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
     layer_name, src_crs, show, skip_failed, purpose, output, overwrite},
    {layer, feature_count, matched_total, truncated, geometry_type, crs.all, optional_bounds, optional_layer_bounds,
     used, used_crs, clipped_away, without_geometry, invalid_count, optional_invalid, failed_ids, failed_count,
     features, features_shown, note}};

}  // namespace gdalmcp_vector
