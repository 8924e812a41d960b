// vector_measure: areas, lengths and perimeters of a layer's features, on the ellipsoid unless asked otherwise.
#include "ogr_ground.hpp"
#include "ogr_layer_pass.hpp"
#include "ogr_repair.hpp"
#include "ogr_selection.hpp"
#include "tools.hpp"

#include <cmath>
#include <limits>

namespace gdalmcp_vector::vector_measure {

namespace {

using gdalmcp::arg;
using gdalmcp::field;
namespace gdal = gdalmcp::gdal;
namespace standard = gdalmcp::standard;

constexpr std::size_t max_rows = 50;  // of features[] in the result

const auto part =
    standard::described(standard::geometry, "Measure only what lies in: GeoJSON, [minx, miny, maxx, maxy] or dataset.");
const arg<gdalmcp::choice> mode{
    .name = "mode",
    .about = "geodesic: on the ellipsoid; planar: in the map's plane, distorted as the CRS is.",
    .fallback = gdalmcp::choice{"geodesic"},
    .values = {"geodesic", "planar"},
    .synonyms = {{"ellipsoidal", "geodesic"}, {"cartesian", "planar"}}};

const field<std::string> method{"method", "What was measured on, and how"};
const field<std::string> unit{"unit", "metre; degree for a planar measure of degrees, which gives area and the like"};
const auto area_m2 = field<double>{"area_m2", "Polygons; absent, as the others, where there are none", "m²"}.optional();
const auto area_ha = field<double>{"area_ha", "The same", "ha"}.optional();
const auto length_m = field<double>{"length_m", "Lines", "m"}.measured().optional();
const auto perimeter_m =
    field<double>{"perimeter_m", "Polygons' rings, holes too; field perim_m", "m"}.measured().optional();
const auto area_degrees = field<double>{"area_deg2", "With unit degree", "degree²"}.optional();
const auto length_degrees = field<double>{"length_deg", "", "degree"}.optional();
const auto perimeter_degrees = field<double>{"perimeter_deg", "", "degree"}.optional();
const field<std::int64_t> id{"id", "FID"};
const auto centroid = field<std::vector<double>>{"centroid", "[x, y] in the layer's CRS; may lie outside"}.optional();
const gdalmcp::table rows{
    "features", "The first 50; all in the output", {id, area_m2, length_m, perimeter_m, centroid}};
const field<bool> truncated{"truncated", "'features' omits some"};
const field<std::int64_t> without_geometry{"without_geometry", "Not measured", "features"};
const auto outside = field<std::int64_t>{"outside_count", "Not in 'geometry', not written", "features"}.optional();
const field<std::int64_t> invalid_count{"invalid_count", "Measured repaired", "features"};
const invalid_table invalid{"invalid", "The first 10"};
const auto some_invalid = invalid.all.optional();
const auto used = gdal::geometry_used.optional();
const auto used_crs = gdal::geometry_crs_used.optional();

struct ruler {
    std::optional<ground> earth;  // nothing: planar
    double scale = 1;             // metres, or degrees, per unit of the plane
    bool degrees = false;         // planar on a geographic CRS: no metres
    std::string method;

    measures of(const OGRGeometry& shape) const {
        if (earth) return earth->measure(shape);
        auto m = planar_measures(shape);
        const auto multiply = [](std::optional<double>& v, double by) {
            if (v) *v *= by;
        };
        multiply(m.area, scale * scale);
        multiply(m.length, scale);
        multiply(m.perimeter, scale);
        return m;
    }
    OGRPoint centre(const OGRGeometry& shape) const {
        if (earth) return earth->centroid(shape);
        if (const auto p = planar_centroid(shape)) return *p;
        throw unusable{"it has no centroid"};
    }
};

ruler ruler_of(gdalmcp::call& call, const source_layer& from) {
    ruler r;
    if (call[mode].value == "geodesic") {
        r.earth.emplace(from.crs);
        r.method = "geodesic: on the ellipsoid of " + gdal::crs_label(from.crs) + ", edges straight in that CRS";
        return r;
    }
    r.degrees = from.crs.IsGeographic() != FALSE;
    if (r.degrees) {
        r.scale = gdal::detail::degrees_per_unit(from.crs);
        call.warn(
            "planar measures of longitude and latitude have no meaning on the ground: leave 'mode' out for metres");
    } else if (from.crs.IsEmpty()) {
        call.warn("the layer has no CRS: its unit is taken for the metre");
    } else {
        r.scale = from.crs.GetLinearUnits();
        if (const auto off = ground{from.crs}.scale_error(from.extent); off && *off > noticeable_error)
            call.warn("lengths in " + gdal::crs_label(from.crs) + " are off by up to " + percent(*off) +
                      " here, and areas may be: leave 'mode' out for those on the ground");
    }
    r.method =
        "planar: in the coordinates of " + (from.crs.IsEmpty() ? "a layer without CRS" : gdal::crs_label(from.crs));
    return r;
}

struct totals {
    measures sum;
    GIntBig without_geometry = 0, outside = 0, invalid = 0, curves = 0;
    std::vector<invalid_feature> first_invalid;
    bool heights = false;
};

void put_measures(gdalmcp::place& at, const measures& m) {
    if (m.area) at.put(area_m2, *m.area);
    if (m.length) at.put(length_m, *m.length);
    if (m.perimeter) at.put(perimeter_m, *m.perimeter);
}

// A track of one point, which has no length but a place.
std::unique_ptr<OGRGeometry> line_without_length(const OGRPoint& at) {
    auto line = std::make_unique<OGRLineString>();
    line->addPoint(&at);
    line->addPoint(&at);
    return line;
}

// The valid form of a feature's geometry, inside `area` where there is one; nullptr: nothing to measure.
std::unique_ptr<OGRGeometry> measured_part(OGRFeature& feature, const std::optional<clip_area>& area, totals& all) {
    const auto* own = feature.GetGeometryRef();
    if (!own || own->IsEmpty()) {
        ++all.without_geometry;
        return nullptr;
    }
    all.heights = all.heights || own->Is3D();
    const auto reason = own->getDimension() > 0 ? gdal::invalid_reason(*own) : std::string{};
    auto shape = reason.empty() ? gdal::geometry_ptr{own->clone()} : gdal::valid_form(*own);
    if (!shape) throw unusable{"its geometry is invalid and cannot be repaired: " + reason};
    if (const auto lone = gdal::detail::lone_vertex(*own); lone && shape->IsEmpty()) shape = line_without_length(*lone);
    if (shape->IsEmpty() && !reason.empty()) require_wall(*own, reason);
    if (shape->IsEmpty() && !area) shape.reset(own->clone());  // its plan is a line: no area, but a place
    if (!reason.empty() && ++all.invalid <= 10) all.first_invalid.push_back({feature.GetFID(), reason});
    if (!area) return shape;
    shape = area->part_of(*shape);
    if (!shape) ++all.outside;
    all.curves += lost_curves(*own, shape.get());
    return shape;
}

std::optional<gdal::placed_geometry> place_part(gdalmcp::call& call, const source_layer& from) {
    const auto given = call[part];
    if (!given) return std::nullopt;
    auto placed = gdal::place_geometry(*given, call[standard::geometry_crs], frame_of(from));
    placed.tell(call);
    placed.put(call);
    return placed;
}

void report(gdalmcp::call& call, const ruler& r, const totals& all, std::size_t measured, bool clips) {
    call.put(method, r.method);
    call.put(unit, r.degrees ? "degree" : "metre");
    if (r.degrees) {
        if (all.sum.area) call.put(area_degrees, *all.sum.area);
        if (all.sum.length) call.put(length_degrees, *all.sum.length);
        if (all.sum.perimeter) call.put(perimeter_degrees, *all.sum.perimeter);
    } else {
        put_measures(call, all.sum);
        if (all.sum.area) call.put(area_ha, *all.sum.area / 1e4);
    }
    call.put(truncated, measured > max_rows);
    call.put(without_geometry, all.without_geometry);
    if (clips) call.put(outside, all.outside);
    call.put(invalid_count, all.invalid);
    if (all.invalid > 0) {
        invalid.put(call, all.first_invalid);
        call.warn(counted(all.invalid) +
                  " with invalid geometries (listed in 'invalid') measured by their repaired form");
    }
    warn_of_curves(call, all.curves);
    if (all.heights) call.warn(plan_alone);
    if (measured == 0)
        call.warn(clips && all.outside > 0 ? "no feature lies in 'geometry': there is nothing to sum"
                                           : "no feature has a geometry: there is nothing to sum");
}

void run(gdalmcp::call& call) {
    auto from = open_geometries(call);
    const auto r = ruler_of(call, from);
    if (const auto why = gdal::misplaced(from.extent, from.crs); !why.empty())
        call.warn("the features do not fit their CRS: " + why);
    const auto area = place_part(call, from);
    const bool clips = area.has_value();
    layer_design design{from.layer->GetGeomType(), wants_multi(from, clips), nullptr,
                        all_fields(*from.layer->GetLayerDefn())};
    if (r.degrees)
        design.added = {{"area_deg2"}, {"length_deg"}, {"perim_deg"}, {"centroid_x"}, {"centroid_y"}};
    else
        design.added = {{"area_m2"}, {"length_m"}, {"perim_m"}, {"centroid_x"}, {"centroid_y"}};
    layer_pass pass{call, from, design};
    totals all;
    std::size_t measured = 0;
    call.begin(rows);
    constexpr double none = std::numeric_limits<double>::quiet_NaN();
    const auto inside = clips ? std::optional<clip_area>{*area->shape} : std::nullopt;
    pass.run(call, "measuring", [&](OGRFeature& feature) {
        auto shape = measured_part(feature, inside, all);
        const auto* own = feature.GetGeometryRef();
        if (!shape) {
            if (!clips)
                pass.add(feature, std::unique_ptr<OGRGeometry>{own ? own->clone() : nullptr},
                         {none, none, none, none, none});
            return true;
        }
        auto m = r.of(*shape);
        // Where rings touch themselves, what is repaired has lines beside its polygons.
        if (OGR_GT_IsSubClassOf(own->getGeometryType(), wkbCurvePolygon) ||
            OGR_GT_IsSubClassOf(own->getGeometryType(), wkbMultiSurface))
            m.length.reset();
        const auto middle = r.centre(*shape);
        all.sum.add(m);
        if (measured++ < max_rows) {
            auto row = call.add(rows);
            row.put(id, feature.GetFID());
            if (!r.degrees) put_measures(row, m);
            row.put(centroid, {middle.getX(), middle.getY()});
        }
        if (!clips) shape.reset(own->clone());
        pass.add(
            feature, std::move(shape),
            {m.area.value_or(none), m.length.value_or(none), m.perimeter.value_or(none), middle.getX(), middle.getY()});
        return true;
    });
    pass.finish(call);
    report(call, r, all, measured, clips);
    call.say(counted(static_cast<GIntBig>(measured)) + " measured");
}

}  // namespace

const gdalmcp::tool tool{
    {.name = "vector_measure",
     .title = "Measure features",
     .about = "True area, length, perimeter and centroid of each feature and in total, on any CRS; the output has them "
              "as fields.",
     .behaviour = GDALMCP_DESTRUCTIVE | GDALMCP_IDEMPOTENT},
    run,
    {uri, part, standard::geometry_crs, mode, only_layer_name, skip_failed, output, overwrite},
    {method,       unit,           features_written,  area_m2,       area_ha,      length_m,  perimeter_m,
     area_degrees, length_degrees, perimeter_degrees, layer_crs.all, rows,         truncated, without_geometry,
     outside,      invalid_count,  some_invalid,      failed_ids,    failed_count, used,      used_crs}};

}  // namespace gdalmcp_vector::vector_measure
