#include "ogr_derivation.hpp"

#include <map>

#include "ogr_ground_line.hpp"
#include "ogr_hulls.hpp"
#include "ogr_parts.hpp"
#include "ogr_random_points.hpp"
#include "ogr_rounding.hpp"
#include "ogr_tessellation.hpp"
#include "vector/ogr_shapes.hpp"

namespace gdalmcp_vector_more {

using namespace gdalmcp_vector;
namespace gdal = gdalmcp::gdal;

namespace {

using state = std::shared_ptr<derivation_state>;

std::unique_ptr<OGRGeometry> centroid_of(const OGRGeometry& g, const derivation_state& with) {
    if (with.earth) return std::make_unique<OGRPoint>(with.earth->centroid(g));
    if (const auto middle = planar_centroid(g)) return std::make_unique<OGRPoint>(*middle);
    throw unusable{"it has no centroid"};
}

std::unique_ptr<OGRGeometry> point_on(const OGRGeometry& g) {
    return by_geos([&] { return to_ogr(*geos::owned(GEOSPointOnSurface_r(geos::handle(), to_shape(g).get()))); });
}

// The plane of the layer, for what depends on no distance.
std::string on_map(const derivation_state& s) {
    return "in the plane of " + (s.crs.IsEmpty() ? std::string{"a layer without CRS"} : gdal::crs_label(s.crs));
}

std::string on_ground(const derivation_state& s) {
    return "on the ellipsoid of " + gdal::crs_label(s.crs) + ", edges straight in that CRS";
}

// Points with the heights and measures of the source.
OGRwkbGeometryType point_like(OGRwkbGeometryType type) {
    return OGR_GT_SetModifier(wkbPoint, OGR_GT_HasZ(type), OGR_GT_HasM(type));
}

OGRwkbGeometryType linear_type(OGRwkbGeometryType type) {
    return OGR_GT_IsNonLinear(type) ? OGR_GT_GetLinear(type) : type;
}

derivation points(const state& s, std::function<std::unique_ptr<OGRGeometry>(const OGRGeometry&)> of,
                  std::string method) {
    return {wkbPoint,
            false,
            {},
            std::move(method),
            [of = std::move(of)](const OGRGeometry& g, auto) {
                return one_piece(of(g)); },
            s};
}

derivation outline(const state& s, std::vector<added_field> fields, std::function<pieces(const OGRGeometry&)> of) {
    const bool planes = s->frame && s->frame->planes();
    return {wkbPolygon,
            planes,
            std::move(fields),
            s->frame ? s->frame->method() : on_map(*s),
            [of = std::move(of)](const OGRGeometry& g, auto) { return of(g); },
            s};
}

derivation bounding(const state& s, const std::string& shape, const source_layer& from) {
    if (shape == "box") return outline(s, {}, bounding_box);
    s->frame.emplace(from);
    if (shape == "circle")
        return outline(s, {{"radius_m"}}, [s](const OGRGeometry& g) { return bounding_circle(g, *s->frame); });
    return outline(s, {{"length_m"}, {"width_m"}},
                   [s](const OGRGeometry& g) { return bounding_rectangle(g, *s->frame); });
}

derivation divided(const state& s, const source_layer& from,
                   tessellation (*by)(const OGRGeometryCollection&, metric_frame&)) {
    s->frame.emplace(from);
    return outline(s, {}, [s, by](const OGRGeometry& g) {
        auto done = by(*g.toGeometryCollection(), *s->frame);
        s->duplicates += done.duplicates;
        return std::move(done.made);
    });
}

// Of a distance: in metres on the ground, or in units of the CRS.
derivation spaced(const state& s, const derivation_choices& c, const source_layer& from, bool densify) {
    if (c.metres && !s->earth) ground{from.crs};  // refuses
    const auto method = c.metres ? on_ground(*s) : on_map(*s);
    if (densify)
        return {linear_type(from.layer->GetGeomType()),
                wants_multi(from, false),
                {},
                method,
                [s, c](const OGRGeometry& g, auto) {
                    return one_piece(
                        densified(c.metres ? &*s->earth : nullptr, g, c.metres.value_or(c.distance), max_derived));
                },
                s};
    return {wkbPoint,
            false,
            {{"part", OFTInteger}, {"ring", OFTInteger}, {c.metres ? "distance_m" : "distance"}},
            method,
            [s, c](const OGRGeometry& g, auto) {
                return points_along(c.metres ? &*s->earth : nullptr, g, c.metres.value_or(c.distance), max_derived);
            },
            s};
}

derivation random(const state& s, const derivation_choices& c) {
    const bool geographic = s->earth && s->earth->geographic();
    return {wkbPoint,
            false,
            {},
            s->areas ? "uniform by the area " + on_ground(*s) : "uniform " + on_map(*s),
            [s, c, geographic](const OGRGeometry& g, std::uint64_t number) {
                return random_points(g, c.n, c.seed, number, s->areas ? &*s->areas : nullptr, geographic);
            },
            s};
}

state state_of(const source_layer& from) {
    auto s = std::make_shared<derivation_state>();
    s->crs = from.crs;
    if (from.crs.IsEmpty() || from.crs.IsLocal()) return s;
    s->earth.emplace(from.crs);
    s->areas.emplace(from.crs);
    return s;
}

using maker = derivation (*)(const state&, const derivation_choices&, const source_layer&);

const std::map<std::string, maker>& makers() {
    static const std::map<std::string, maker> all{
        {"centroid",
         [](const state& s, const derivation_choices&, const source_layer&) {
             return points(
                 s, [s](const OGRGeometry& g) { return centroid_of(g, *s); },
                 s->earth ? "in planes in metres around each" : on_map(*s));
         }},
        {"point_on_surface", [](const state& s, const derivation_choices&,
                                const source_layer&) { return points(s, point_on, on_map(*s)); }},
        {"convex_hull",
         [](const state& s, const derivation_choices&, const source_layer&) { return outline(s, {}, convex_hull); }},
        {"concave_hull",
         [](const state& s, const derivation_choices& c, const source_layer& from) {
             s->frame.emplace(from);
             auto made = outline(s, {}, [s, c](const OGRGeometry& g) { return concave_hull(g, c.ratio, *s->frame); });
             // Around polygons that stand far apart it has parts.
             made.multi = made.multi || OGR_GT_IsSubClassOf(wkbFlatten(from.layer->GetGeomType()), wkbMultiSurface) ||
                          OGR_GT_IsSurface(from.layer->GetGeomType()) ||
                          wkbFlatten(from.layer->GetGeomType()) == wkbUnknown;
             return made;
         }},
        {"bounding", [](const state& s, const derivation_choices& c,
                        const source_layer& from) { return bounding(s, c.shape, from); }},
        {"endpoints",
         [](const state& s, const derivation_choices&, const source_layer& from) {
             return derivation{point_like(from.layer->GetGeomType()),
                               false,
                               {{"part", OFTInteger}, {"vertex", OFTInteger}},
                               "as they are",
                               [](const OGRGeometry& g, auto) { return ends_of(g); },
                               s};
         }},
        {"vertices",
         [](const state& s, const derivation_choices&, const source_layer& from) {
             return derivation{point_like(from.layer->GetGeomType()),
                               false,
                               {{"part", OFTInteger}, {"ring", OFTInteger}, {"vertex", OFTInteger}},
                               "as they are",
                               [](const OGRGeometry& g, auto) { return vertices_of(g); },
                               s};
         }},
        {"densify", [](const state& s, const derivation_choices& c,
                       const source_layer& from) { return spaced(s, c, from, true); }},
        {"explode",
         [](const state& s, const derivation_choices&, const source_layer& from) {
             return derivation{part_type(from.layer->GetGeomType()),
                               false,
                               {{"part", OFTInteger}},
                               "as they are",
                               [](const OGRGeometry& g, auto) { return parts_of(g); },
                               s};
         }},
        {"collect",
         [](const state& s, const derivation_choices&, const source_layer& from) {
             return derivation{
                 OGR_GT_GetCollection(part_type(from.layer->GetGeomType())),         false, {}, "as they are",
                 [](const OGRGeometry& g, auto) { return one_piece(collected(g)); }, s};
         }},
        {"voronoi",
         [](const state& s, const derivation_choices&, const source_layer& from) { return divided(s, from, voronoi); }},
        {"delaunay", [](const state& s, const derivation_choices&,
                        const source_layer& from) { return divided(s, from, delaunay); }},
        {"random_points",
         [](const state& s, const derivation_choices& c, const source_layer&) { return random(s, c); }},
        {"points_along", [](const state& s, const derivation_choices& c,
                            const source_layer& from) { return spaced(s, c, from, false); }},
        {"round",
         [](const state& s, const derivation_choices& c, const source_layer& from) {
             return derivation{wkbFlatten(linear_type(from.layer->GetGeomType())),
                               wants_multi(from, true),
                               {},
                               on_map(*s),
                               [c](const OGRGeometry& g, auto) { return rounded(g, c.decimals); },
                               s};
         }},
        {"flatten",
         [](const state& s, const derivation_choices&, const source_layer& from) {
             return derivation{wkbFlatten(from.layer->GetGeomType()),
                               wants_multi(from, false),
                               {},
                               "as they are",
                               [](const OGRGeometry& g, auto) { return flattened(g); },
                               s};
         }},
    };
    return all;
}

}  // namespace

const std::vector<operation>& operations() {
    using enum grouping;
    static const std::vector<operation> all{
        {"centroid", if_asked, true},
        {"point_on_surface", never, true},
        {"convex_hull", if_asked},
        {"concave_hull", if_asked, true, false, {}, {"ratio"}},
        {"bounding", if_asked},
        {"endpoints"},
        {"vertices"},
        {"densify", never, false, false, {"distance"}},
        {"explode"},
        {"collect", always},
        {"voronoi", always, false, true},
        {"delaunay", always},
        {"random_points", if_asked, true, false, {"n"}},
        {"points_along", never, false, false, {"distance"}},
        {"round", never, true, false, {"decimals"}},
        {"flatten"},
    };
    return all;
}

const operation& operation_named(const std::string& name) {
    const auto& all = operations();
    return *std::find_if(all.begin(), all.end(), [&](const operation& o) { return name == o.name; });
}

derivation derivation_of(const operation& op, const derivation_choices& choices, const source_layer& from) {
    return makers().at(op.name)(state_of(from), choices, from);
}

}  // namespace gdalmcp_vector_more
