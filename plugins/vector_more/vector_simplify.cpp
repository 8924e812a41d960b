// vector_simplify: lines and outlines with fewer vertices, borders of neighbours as one.
#include "tools.hpp"
#include "vector/ogr_layer_pass.hpp"
#include "vector/ogr_repair.hpp"
#include "vector/ogr_shapes.hpp"
#include "vector/ogr_simplification.hpp"
#include "vector/ogr_surface.hpp"

#include <gdalmcp/gdal_collect.hpp>

namespace gdalmcp_vector_more::vector_simplify {

using namespace gdalmcp_vector;

namespace {

using gdalmcp::arg;
using gdalmcp::error;
using gdalmcp::field;
namespace gdal = gdalmcp::gdal;

constexpr double small_error = 0.01;  // of a map's scale, up to which its own distances serve

const arg<double> tolerance{.name = "tolerance", .about = "In 'unit'.", .above = 0};
const arg<gdalmcp::choice> how{
    .name = "method",
    .about = "douglas-peucker: by distance from the new line; visvalingam: by triangles below tolerance².",
    .fallback = gdalmcp::choice{"douglas-peucker"},
    .values = {"douglas-peucker", "visvalingam"},
    .synonyms = {{"dp", "douglas-peucker"}, {"vw", "visvalingam"}, {"visvalingam-whyatt", "visvalingam"}}};
const arg<bool> topology{
    .name = "preserve_topology",
    .about =
        "Borders with equal vertices stay shared, none cross, no polygon vanishes; the layer is held in memory. "
        "false: each feature by itself.",
    .fallback = true};

const field<std::string> method{"method", "How distances were taken"};
const auto tolerance_m = field<double>{"tolerance_m", "Absent for unit crs", "m"}.optional();
const field<std::int64_t> vertices_before{"vertices_before", "", "vertices"};
const field<std::int64_t> vertices_after{"vertices_after", "", "vertices"};
const auto area_before = field<double>{"area_before_m2", "Polygons, on the ellipsoid", "m²"}.optional();
const auto area_after = field<double>{"area_after_m2", "The same", "m²"}.optional();
const field<std::int64_t> collapsed_count{"collapsed_count", "Features left out: below the tolerance"};
const field<std::int64_t> lost_parts{"lost_parts", "Collapsed rings and lines"};
const field<std::int64_t> repaired_count{"repaired_count", "Came out invalid"};
const auto arc_count = field<std::int64_t>{"arc_count", "With preserve_topology"}.optional();
const auto finer_count = field<std::int64_t>{"finer_count", "Arcs simplified less, not to cross others"}.optional();
const field<std::int64_t> without_geometry{"without_geometry", "Written as they are"};

struct plan {
    std::optional<double> metres;  // nothing: in the layer's units
    double tolerance = 0;          // of the vertex_choice
    bool on_map = true;
    std::string method;
};

plan plan_of(gdalmcp::call& call, const source_layer& from) {
    plan p;
    p.tolerance = call[tolerance];
    const auto unit = call[distance_unit].value;
    const auto label = from.crs.IsEmpty() ? std::string{"a layer without CRS"} : gdal::crs_label(from.crs);
    if (unit == "crs") {
        p.method = "in the units of " + label + ", as asked";
        return p;
    }
    const ground earth{from.crs};
    p.metres = p.tolerance * metres_per(unit);
    const auto off = earth.scale_error(from.extent);
    p.on_map = off && *off <= small_error;
    p.tolerance = p.on_map ? *p.metres / from.crs.GetLinearUnits() : *p.metres;
    p.method = p.on_map ? "on the map of " + label + ", whose scale here is off by up to " +
                              gdal::number_text(std::round(*off * 1e4) / 100) + " %"
                        : "on the ground, in planes around pieces of at most 500 km";
    return p;
}

struct tally {
    GIntBig before = 0, after = 0, collapsed = 0, repaired = 0, lost = 0, without = 0, curves = 0;
    double area_before = 0, area_after = 0;
    bool heights = false, polygons = false;
};

std::size_t vertices_of(const OGRGeometry& shape) {
    std::size_t n = 0;
    const std::unique_ptr<OGRGeometry> copy{shape.clone()};
    gdal::for_each_vertex(*copy, [&](const OGRPoint&) { ++n; });
    return n;
}

// What was invalid before, so that a repair leaves nothing of it, did not collapse by being simplified.
void require_something(const OGRGeometry& source) {
    if (const auto why = gdal::invalid_reason(source); !why.empty() && !repair(source, why).shape)
        require_wall(source, why);
}

// A result in two dimensions, valid; nullptr when it collapsed.
std::unique_ptr<OGRGeometry> finished(rebuilt done, const OGRGeometry& source, tally& all) {
    all.lost += done.lost;
    if (!done.shape) {
        ++all.collapsed;
        return nullptr;
    }
    if (done.shape->getDimension() == 2)
        if (const auto why = gdal::invalid_reason(*done.shape); !why.empty()) {
            done.shape = repair(*done.shape, why).shape;
            if (!done.shape) require_something(source);
            all.collapsed += !done.shape;
            ++all.repaired;
        }
    return std::move(done.shape);
}

class simplifier {
public:
    simplifier(gdalmcp::call& call, source_layer& from, layer_pass& pass, const plan& p)
        : call_{call},
          pass_{pass},
          plan_{p},
          how_{call[how].value == "visvalingam" ? simplification::visvalingam : simplification::douglas_peucker} {
        if (from.crs.IsEmpty() || from.crs.IsLocal()) return;
        earth_.emplace(from.crs);
        surface_.emplace(from.crs);
    }

    void together() {
        std::vector<OGRFeatureUniquePtr> features;
        std::vector<std::unique_ptr<OGRGeometry>> shapes;
        arc_network net;
        pass_.run(
            call_, "reading",
            [&](OGRFeature& feature) {
                auto shape = shape_of(feature);
                if (shape)
                    rebuild(*shape, [&](const OGRSimpleCurve& line) {
                        check_places(line);
                        return point_list{};
                    });
                if (shape)  // only now: a feature that is left out has no lines in the network
                    rebuild(*shape, [&](const OGRSimpleCurve& line) {
                        net.add(points_of(line));
                        return point_list{};
                    });
                features.emplace_back(feature.Clone());
                shapes.push_back(std::move(shape));
                return true;
            },
            0.2);
        net.build();
        const auto done = simplify_together(net.arcs(), vertex_choice{plan_.on_map ? nullptr : &*earth_, how_},
                                            plan_.tolerance, call_.part(0.2, 0.8, "simplifying"));
        call_.put(arc_count, static_cast<std::int64_t>(net.arcs().size()));
        call_.put(finer_count, static_cast<std::int64_t>(done.finer));
        std::size_t path = 0;
        for (std::size_t i = 0; i < features.size(); ++i) {
            pass_.attempt(*features[i], [&] {
                if (!shapes[i]) return keep(*features[i]);
                write(*features[i], *shapes[i],
                      rebuild(*shapes[i], [&](const OGRSimpleCurve&) { return net.points_of(path++, done.arcs); }));
            });
            shapes[i].reset();
            features[i].reset();
            if (i % 256 == 0)
                call_.progress(0.8 + 0.15 * static_cast<double>(i) / static_cast<double>(features.size()), "writing");
        }
    }

    void one_by_one() {
        const vertex_choice choice{plan_.on_map ? nullptr : &*earth_, how_};
        pass_.run(call_, "simplifying", [&](OGRFeature& feature) {
            const auto shape = shape_of(feature);
            if (shape)
                write(feature, *shape, rebuild(*shape, [&](const OGRSimpleCurve& line) {
                          const auto points = points_of(line);
                          point_list left;
                          for (const auto k : choice.of(points, plan_.tolerance, false)) left.push_back(points[k]);
                          return left;
                      }));
            else
                keep(feature);
            return true;
        });
    }

    tally all;

private:
    // In two dimensions with straight edges; nullptr: none.
    std::unique_ptr<OGRGeometry> shape_of(const OGRFeature& feature) {
        const auto* own = feature.GetGeometryRef();
        if (!own || own->IsEmpty()) return nullptr;
        if (earth_ && !plan_.on_map) earth_->check_turns(*own);
        all.heights = all.heights || own->Is3D() || own->IsMeasured();
        all.curves += own->hasCurveGeometry(TRUE) != 0;
        const bool faces = gdal::surfaces_as_polygons(*own) != nullptr;
        const auto plan = faces ? gdal::valid_form(*own) : nullptr;
        if (faces && !plan) throw unusable{"GEOS cannot unite its faces in the plan"};
        return linear(plan && !plan->IsEmpty() ? *plan : *own);
    }
    // Throws unusable for a line that no plane on the ground can take.
    void check_places(const OGRSimpleCurve& line) const {
        if (plan_.on_map) return;
        std::vector<double> x, y;
        for (const auto& p : points_of(line)) {
            x.push_back(p.x);
            y.push_back(p.y);
        }
        earth_->degrees(std::move(x), std::move(y));
    }
    void keep(const OGRFeature& feature) {
        ++all.without;
        pass_.add(feature, nullptr);
    }
    void write(const OGRFeature& feature, const OGRGeometry& before, rebuilt done) {
        auto after = finished(std::move(done), before, all);
        all.before += static_cast<GIntBig>(vertices_of(before));
        if (before.getDimension() == 2 && surface_) {
            all.polygons = true;
            all.area_before += surface_->area(*to_shape(before));
            if (after) all.area_after += surface_->area(*to_shape(*after));
        }
        if (!after) return;
        all.after += static_cast<GIntBig>(vertices_of(*after));
        pass_.add(feature, std::move(after));
    }

    gdalmcp::call& call_;
    layer_pass& pass_;
    const plan& plan_;
    simplification how_;
    std::optional<ground> earth_;
    std::optional<surface> surface_;
};

void report(gdalmcp::call& call, const plan& p, const tally& all) {
    call.put(method, p.method);
    if (p.metres) call.put(tolerance_m, *p.metres);
    call.put(vertices_before, all.before);
    call.put(vertices_after, all.after);
    if (all.polygons) {
        call.put(area_before, all.area_before);
        call.put(area_after, all.area_after);
    }
    call.put(collapsed_count, all.collapsed);
    call.put(lost_parts, all.lost);
    call.put(repaired_count, all.repaired);
    call.put(without_geometry, all.without);
    if (all.heights) call.warn("heights (z) and measures (m) are left out: the plan alone is simplified");
    warn_of_curves(call, all.curves);
    if (all.collapsed > 0) call.warn(counted(all.collapsed) + " smaller than the tolerance, left out");
    if (all.repaired > 0) call.warn(counted(all.repaired) + " came out invalid and were repaired (MakeValid)");
    call.say(std::to_string(all.before) + " vertices became " + std::to_string(all.after));
}

void run(gdalmcp::call& call) {
    auto from = open_geometries(call);
    const auto p = plan_of(call, from);
    auto type = wkbFlatten(from.layer->GetGeomType());
    if (OGR_GT_IsNonLinear(type)) type = OGR_GT_GetLinear(type);
    if (type == wkbPoint || type == wkbMultiPoint)
        throw error{GDALMCP_INVALID_ARGUMENT,
                    "layer '" + std::string{from.layer->GetName()} + "' holds points, which have nothing to simplify",
                    "give a layer of lines or polygons"};
    // A repair may make two parts of one.
    layer_pass pass{
        call, from, {type, wants_multi(from, type == wkbPolygon), nullptr, all_fields(*from.layer->GetLayerDefn())}};
    simplifier work{call, from, pass, p};
    if (call[topology])
        work.together();
    else
        work.one_by_one();
    pass.finish(call);
    report(call, p, work.all);
}

}  // namespace

const gdalmcp::tool tool{
    {.name = "vector_simplify",
     .title = "Simplify lines and outlines",
     .about = "Leaves out vertices within a tolerance on the ground; neighbours keep their common borders. Vertices "
              "that stay are not moved.",
     .behaviour = GDALMCP_DESTRUCTIVE | GDALMCP_IDEMPOTENT},
    run,
    {uri, tolerance, distance_unit, how, topology, only_layer_name, skip_failed, output, overwrite},
    {method, features_written, tolerance_m, vertices_before, vertices_after, area_before, area_after, collapsed_count,
     lost_parts, repaired_count, arc_count, finer_count, without_geometry, layer_crs.all, failed_ids, failed_count}};

}  // namespace gdalmcp_vector_more::vector_simplify
