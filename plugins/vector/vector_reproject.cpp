// vector_reproject: layers in another CRS, feature for feature.
#include <gdalmcp/gdal_geometry.hpp>

#include <algorithm>

#include "arguments.hpp"
#include "datasets/gdal_output.hpp"
#include "ogr_output_layer.hpp"
#include "ogr_transformation.hpp"
#include "tools.hpp"

namespace gdalmcp_vector::vector_reproject {

namespace {

using gdalmcp::arg;
using gdalmcp::field;
using gdalmcp::gdal::crs_label;
using gdalmcp::gdal::crs_text;

const arg<gdalmcp::output_crs> dst_crs{
    .name = "dst_crs",
    .about = "Target CRS: EPSG:3857, WKT, PROJJSON or a PROJ string; GeoJSON output: OGC:CRS84 or EPSG:4326 only."};
const auto only_layer =
    gdalmcp::standard::described(gdalmcp::standard::layer, "Reproject this layer only. Default: all.");
const auto& allow_ballpark = gdalmcp::standard::allow_ballpark;
const arg<bool> skip_failed{.name = "skip_failed",
                            .about = "Leave out and name features without a place in dst_crs, instead of failing.",
                            .fallback = false};

const gdalmcp::gdal::crs_record source_crs{"src_crs", "CRS the coordinates were read in; left out when layers differ"};
const gdalmcp::record optional_source_crs = source_crs.all.optional();
const gdalmcp::gdal::crs_record target_crs{"dst_crs", "CRS of the output"};
const gdalmcp::gdal::operation_record operation;
const gdalmcp::record optional_operation = operation.all.optional();
const field<std::int64_t> feature_count{"feature_count", "Features written, over all layers", "features"};
const field<std::int64_t> feature_count_before{"feature_count_before", "Features read, over all layers", "features"};
const gdalmcp::gdal::bounds_record bounds{"bounds", "Extent of all layers written; left out without geometries"};
const gdalmcp::record optional_bounds = bounds.all.optional();

const field<std::string> name{"name", "Name of the layer"};
const field<std::string> geometry_type{"geometry_type", "Geometry type the written layer declares"};
const field<std::int64_t> layer_before{"feature_count_before", "Features read", "features"};
const field<std::int64_t> layer_count{"feature_count", "Features written", "features"};
const field<std::string> layer_source{"src_crs", "CRS the coordinates were read in; empty for a table"};
const gdalmcp::gdal::bounds_record layer_bounds{"bounds", "Extent of the written layer; left out without geometries"};
const gdalmcp::record optional_layer_bounds = layer_bounds.all.optional();
const gdalmcp::table layers{"layers",
                            "The layers written",
                            {name, geometry_type, layer_before, layer_count, layer_source, optional_operation,
                             failed_ids, failed_count, optional_layer_bounds}};

struct layer_source_crs {
    OGRSpatialReference crs;
    bool table = false;     // no geometries, hence no CRS
    bool assigned = false;  // the layer has none: src_crs alone gives it
};

layer_source_crs source_of(OGRLayer& layer, bool alone, const std::optional<gdalmcp::crs>& given, const notice& say) {
    layer_source_crs s{crs_of(layer, given, say), layer.GetGeomType() == wkbNone};
    if (s.table) return s;
    if (s.crs.IsEmpty())
        throw gdalmcp::error{
            GDALMCP_INVALID_ARGUMENT, "layer '" + std::string{layer.GetName()} + "' has no CRS",
            std::string{"give the CRS of its coordinates with 'src_crs'"} +
                (alone ? "" : ", for this layer only with layer: \"" + std::string{layer.GetName()} + "\"") +
                "; ask whoever made the data"};
    s.assigned = !gdalmcp::gdal::stated(layer.GetSpatialRef());
    return s;
}

void check_area_of_use(const OGREnvelope& box, const OGRSpatialReference& from, const OGRSpatialReference& to,
                       const std::string& layer, const notice& say) {
    double west = 0, south = 0, east = 0, north = 0;
    const char* where = nullptr;
    const auto own = gdalmcp::gdal::wgs84_bounds(box, from);
    if (!own || !to.GetAreaOfUse(&west, &south, &east, &north, &where) || west < -180) return;
    constexpr double slack = 0.01;  // degrees: areas of use are rounded
    const bool everywhere = east - west >= 360 - slack;
    const auto inside = [&](double lon) {
        return everywhere ||
               (west <= east ? lon >= west - slack && lon <= east + slack : lon >= west - slack || lon <= east + slack);
    };
    if (inside((*own)[0]) && inside((*own)[2]) && (*own)[1] >= south - slack && (*own)[3] <= north + slack) return;
    std::string region = where ? where : "";
    if (const auto end = region.find(" - "); end != std::string::npos) region.erase(end);
    say("layer '" + layer + "' covers " + gdalmcp::gdal::box_text((*own)[0], (*own)[1], (*own)[2], (*own)[3]) +
        " in OGC:CRS84, beyond the area of use of " + crs_label(to) + ", " +
        gdalmcp::gdal::box_text(west, south, east, north) + (region.empty() ? "" : " (" + region.substr(0, 80) + ")") +
        ": distances, areas and shapes may be distorted there");
}

struct outcome {
    GIntBig before = 0, after = 0;
    left_out failed;
    GIntBig spoilt = 0, first_spoilt = 0;  // valid before, invalid after: how many, and the id of the first
    std::string why_spoilt;
    std::string wide;  // of edges of more than 180 degrees: what was taken for granted
    OGREnvelope box;
    OGRwkbGeometryType type = wkbNone;
};

[[noreturn]] void refuse(const outcome& o, const std::string& layer, const OGRSpatialReference& to) {
    std::string ids;
    for (std::size_t i = 0; i < std::min<std::size_t>(10, o.failed.ids.size()); ++i)
        ids += (i ? ", " : "") + std::to_string(o.failed.ids[i]);
    throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT,
                         std::to_string(o.failed.count) + " of " + std::to_string(o.before) + " features of layer '" +
                             layer + "' have no place, or not all of it, in " + crs_label(to) + ": ids " + ids +
                             (o.failed.count > 10 ? ", …" : ""),
                         "choose a dst_crs that covers them, check src_crs, or leave them out with skip_failed: true"};
}

bool reaches_antimeridian(const OGRGeometry& degrees, double unit) {
    OGREnvelope box;
    degrees.getEnvelope(&box);
    return std::max(box.MaxX, -box.MinX) * unit >= 180 - 1e-9;
}

// Polygons whose slivers collapse, or whose edges cross once their vertices have moved. An outline along ±180° and to a
// pole, where a map in degrees ends, is a slit on others: it is closed.
void look_for_damage(outcome& o, const OGRFeature& before, const OGRSpatialReference& from,
                     std::unique_ptr<OGRGeometry>& after) {
    if (after->getDimension() != 2) return;
    auto why = gdalmcp::gdal::invalid_reason(*after);
    if (why.empty() || !gdalmcp::gdal::invalid_reason(*before.GetGeometryRef()).empty()) return;
    if (from.IsGeographic() &&
        reaches_antimeridian(*before.GetGeometryRef(), gdalmcp::gdal::detail::degrees_per_unit(from)) &&
        gdalmcp::gdal::detail::made_valid(after, why))
        return;
    if (o.spoilt++ > 0) return;
    o.first_spoilt = before.GetFID();
    o.why_spoilt = std::move(why);
}

// Reads every feature once; those that fail are counted to the end, so that the refusal can name them.
// to_centre: the CRS is geocentric, where a position without height has no place.
outcome reproject(OGRLayer& from, const OGRSpatialReference& source, output_layer& to, transformation* moved, bool wrap,
                  bool to_centre, bool skip, const progress& report) {
    outcome o;
    gdalmcp::gdal::wide_edges wide{source};
    const auto write = [&](OGRFeature& feature) {
        ++o.before;
        std::unique_ptr<OGRGeometry> geometry;
        if (const auto* own = feature.GetGeometryRef()) {
            const bool no_height = to_centre && !own->IsEmpty() && !own->Is3D();
            if (no_height && skip) {
                o.failed.add(&feature, "it has no z");
                return true;
            }
            if (no_height)
                throw gdalmcp::error{
                    GDALMCP_INVALID_ARGUMENT,
                    "feature " + std::to_string(feature.GetFID()) + " of layer '" + from.GetName() +
                        "' has no z, and positions from the centre of the Earth have three coordinates",
                    "give geometries with z, heights above the ellipsoid, or choose a dst_crs that is "
                    "geographic or projected"};
            geometry = moved ? moved->apply(*own, wrap) : std::unique_ptr<OGRGeometry>{own->clone()};
            if (!geometry) {
                o.failed.add(&feature, "it has no place, or not all of it, in dst_crs");
                return true;
            }
            if (moved && !moved->none()) {
                wide.see(*own, feature.GetFID());
                look_for_damage(o, feature, source, geometry);
            }
        }
        to.add(feature, std::move(geometry));
        return true;
    };
    left_out damaged;
    for_each_usable_feature(from, skip, report, write, damaged);
    o.before += damaged.count;
    o.failed.merge(damaged);
    to.finish();
    o.after = to.written();
    o.box = to.bounds();
    o.type = to.type();
    o.wide =
        wide.warning(std::string{"the features of '"} + from.GetName() + "'",
                     "in dst_crs they run straight from end to end; if the narrow way is meant, split them at 180");
    return o;
}

void put_operation(gdalmcp::place& p, const transformation& t, bool assigned) {
    auto used = t.about();
    if (t.none() && assigned) used.name = "none: assigned, not transformed";
    operation.put(p, used);
}

void put_layer(gdalmcp::call& call, OGRLayer& from, const layer_source_crs& s, const transformation* moved,
               const outcome& o, const OGRSpatialReference& to, bool skips) {
    auto row = call.add(layers);
    row.put(name, from.GetName());
    row.put(geometry_type, geometry_type_name(o.type));
    row.put(layer_before, o.before);
    row.put(layer_count, o.after);
    row.put(layer_source, s.table ? std::string{} : crs_text(s.crs));
    if (moved) put_operation(row, *moved, s.assigned);
    if (skips) {
        row.put(failed_ids, o.failed.ids);
        row.put(failed_count, o.failed.count);
    }
    if (o.box.IsInit()) layer_bounds.put(row, o.box, to);
}

std::vector<OGRLayer*> chosen_layers(GDALDataset& source, const std::optional<std::string>& wanted, const format& f) {
    if (wanted || (source.GetLayerCount() > 1 && !f.several_layers)) return {&gdalmcp::gdal::layer_of(source, wanted)};
    std::vector<OGRLayer*> all;
    for (int i = 0; i < source.GetLayerCount(); ++i) all.push_back(source.GetLayer(i));
    for (auto* layer : all) gdalmcp::gdal::take_layer(source, *layer);
    if (all.empty()) gdalmcp::gdal::layer_of(source, wanted);  // refuses
    return all;
}

void run(gdalmcp::call& call) {
    const auto source = open_source(call);
    const std::string path = call[output].path;
    const auto target = format_of(path);
    const auto to = gdalmcp::gdal::crs_argument(call[dst_crs].text, "dst_crs");
    require_crs_of(target, to);
    const notice say = [&](const std::string& text) { call.warn(text); };
    const auto chosen = chosen_layers(*source, call[only_layer], target);

    auto out = gdalmcp_datasets::create_vector(path, target.driver);
    call.begin(layers);
    outcome all;
    std::optional<OGRSpatialReference> common;
    std::optional<transformation> first;
    bool first_assigned = false;
    bool same_source = true;
    const double share = 0.95 / static_cast<double>(chosen.size());
    for (std::size_t i = 0; i < chosen.size(); ++i) {
        auto& from = *chosen[i];
        const auto s = source_of(from, chosen.size() == 1, call[src_crs], say);
        std::optional<transformation> moved;
        if (!s.table) {
            const auto extent = layer_extent(*source, from);
            check_area_of_use(extent, s.crs, to, from.GetName(), say);
            moved.emplace(s.crs, to, gdalmcp::gdal::wgs84_bounds(extent, s.crs), call[allow_ballpark], say);
        }
        const bool multi = EQUAL(source->GetDriverName(), "ESRI Shapefile") && holds_multi_parts(from);
        output_layer written{*out,
                             target,
                             *source,
                             from,
                             {from.GetGeomType(), multi, s.table ? nullptr : &to, all_fields(*from.GetLayerDefn())},
                             say};
        const double at = static_cast<double>(i) * share;
        const auto o =
            reproject(from, s.crs, written, moved ? &*moved : nullptr, target.wgs84_only, to.IsGeocentric() != FALSE,
                      call[skip_failed], call.part(at, at + share, "reprojecting"));
        if (o.failed.count > 0 && !call[skip_failed]) refuse(o, from.GetName(), to);
        if (moved) moved->tell_changes(from.GetName(), say);
        if (o.spoilt > 0)
            say(counted(o.spoilt) + " of layer '" + from.GetName() + "' came out invalid, the first is feature " +
                std::to_string(o.first_spoilt) + " (" + o.why_spoilt +
                "): vector_validate with repair: true repairs them");
        if (!o.wide.empty()) say(o.wide);
        if (o.failed.count > 0)
            say(o.failed.said(" of " + std::to_string(o.before) + " of layer '" + from.GetName() + "' left out") +
                "; the first: " + o.failed.first_reason);
        put_layer(call, from, s, moved ? &*moved : nullptr, o, to, call[skip_failed]);
        all.before += o.before;
        all.after += o.after;
        if (o.box.IsInit()) all.box.Merge(o.box);
        if (s.table) continue;
        same_source = same_source && (!common || same_coordinates(*common, s.crs));
        if (!common) {
            common = s.crs;
            first = std::move(moved);
            first_assigned = s.assigned;
        }
    }
    gdalmcp_datasets::close_vector(std::move(out), path);
    expect_features(call, all.after, common ? to : OGRSpatialReference{});
    if (common && same_source) source_crs.put(call, *common);
    if (first && same_source) put_operation(call, *first, first_assigned);
    target_crs.put(call, to);
    call.put(feature_count, all.after);
    call.put(feature_count_before, all.before);
    if (all.box.IsInit()) bounds.put(call, all.box, to);
    const bool only_assigned = first && first->none() && first_assigned;
    call.say(std::to_string(all.after) + (all.after == 1 ? " feature" : " features") + " written in " + crs_label(to) +
             (only_assigned ? " (assigned, not transformed: their coordinates are unchanged)" : ""));
}

}  // namespace

const gdalmcp::tool tool{{.name = "vector_reproject",
                          .title = "Reproject a vector dataset",
                          .about = "Writes layers in another CRS, feature for feature; fields, ids, z and m are kept "
                                   "where the format can hold them. Names the transformation and its accuracy.",
                          .behaviour = GDALMCP_DESTRUCTIVE | GDALMCP_IDEMPOTENT},
                         run,
                         {uri, dst_crs, output, overwrite, src_crs, only_layer, allow_ballpark, skip_failed},
                         {optional_source_crs, target_crs.all, optional_operation, feature_count, feature_count_before,
                          optional_bounds, layers}};

}  // namespace gdalmcp_vector::vector_reproject
