// vector_derive: points, outlines and parts made of the geometries of a layer.
#include <gdalmcp/gdal_collect.hpp>

#include <deque>
#include <map>

#include "ogr_derivation.hpp"
#include "ogr_parts.hpp"
#include "tools.hpp"
#include "vector/ogr_aggregates.hpp"
#include "vector/ogr_layer_pass.hpp"
#include "vector/ogr_repair.hpp"
#include "vector/ogr_selection.hpp"
#include "vector/ogr_shapes.hpp"
#include "vector/ogr_whole_values.hpp"

namespace gdalmcp_vector_more::vector_derive {

using namespace gdalmcp_vector;

namespace {

using gdalmcp::arg;
using gdalmcp::error;
using gdalmcp::field;
namespace gdal = gdalmcp::gdal;

std::vector<const char*> operation_names() {
    std::vector<const char*> names;
    for (const auto& o : operations()) names.push_back(o.name);
    return names;
}

const arg<gdalmcp::choice> what{
    .name = "operation",
    .about =
        "centroid (may lie outside), point_on_surface (inside); bounding ('shape'); endpoints, vertices (points with "
        "their "
        "numbers); densify, points_along (every 'distance'); explode (one feature a part), collect (one a group); "
        "voronoi (of points); delaunay (of vertices); random_points ('n' in each polygon, uniform by true area); "
        "round ('decimals'); flatten (no z, m).",
    .values = operation_names(),
    .synonyms = {{"pointonsurface", "point_on_surface"},
                 {"representative_point", "point_on_surface"},
                 {"hull", "convex_hull"},
                 {"minimum_bounding_geometry", "bounding"},
                 {"extract_vertices", "vertices"},
                 {"segmentize", "densify"},
                 {"singlepart", "explode"},
                 {"multipart_to_singlepart", "explode"},
                 {"multipart", "collect"},
                 {"thiessen", "voronoi"},
                 {"thiessen_polygons", "voronoi"},
                 {"tin", "delaunay"},
                 {"random", "random_points"},
                 {"force_2d", "flatten"}}};
const arg<std::optional<std::vector<std::string>>> by{
    .name = "by",
    .about =
        "Take features together: fields whose equal values make a group, [] for all. For centroid, hulls, bounding, "
        "random_points (default: each alone), collect, voronoi, delaunay (default: all).",
    .or_single = true};
const arg<std::optional<double>> distance{
    .name = "distance", .about = "For densify and points_along, in 'unit'.", .above = 0};
const arg<std::optional<std::int64_t>> number{
    .name = "n", .about = "Points in each feature or group, for random_points.", .min = 1, .max = max_derived};
const arg<std::int64_t> seed{.name = "seed", .about = "The same seed makes the same points.", .fallback = 1, .min = 0};
const arg<std::optional<double>> ratio{
    .name = "ratio", .about = "Of concave_hull: 0 closest, 1 convex. Default 0.3.", .min = 0, .max = 1};
const arg<gdalmcp::choice> shape{
    .name = "shape",
    .about = "Of bounding: smallest rectangle at any angle, smallest circle, or the extent.",
    .fallback = gdalmcp::choice{"rectangle"},
    .values = {"rectangle", "circle", "box"},
    .synonyms = {{"envelope", "box"}, {"oriented_rectangle", "rectangle"}}};
const arg<std::optional<std::int64_t>> decimals{
    .name = "decimals", .about = "For round, of the CRS's units; negative: tens, hundreds.", .min = -6, .max = 15};
const arg<std::optional<std::string>> where{.name = "where", .about = "Only these features (OGR SQL)."};

const field<std::string> method{"method", "How, in which CRS or on the ground"};
const field<std::int64_t> features_read{"features_read", "Those of 'where'"};
const auto groups{field<std::int64_t>{"groups", "With 'by'"}.optional()};
const field<std::int64_t> without_geometry{"without_geometry", "Left out"};
const field<std::int64_t> invalid_count{"invalid_count", "Repaired first"};
const field<std::int64_t> none_count{"none_count", "Features or groups of which nothing can be made"};
const auto duplicates = field<std::int64_t>{"duplicates", "Points at the place of another"}.optional();
const auto area_before =
    field<double>{"area_before_m2", "Of polygons read; ellipsoid, overlaps in each", "m²"}.optional();
const auto area_after = field<double>{"area_m2", "Of polygons made", "m²"}.optional();
const auto vertices_before = field<std::int64_t>{"vertices_before", "Of densify and round"}.optional();
const auto vertices_after = field<std::int64_t>{"vertices_after", "The same"}.optional();
const auto distance_error = field<double>{"distance_error", "Distances were off by at most", "share"}.optional();

// Refuses what is missing and what the operation has no use for.
void check_arguments(gdalmcp::call& call, const operation& op) {
    const std::pair<const char*, bool> given[] = {{"distance", call[distance].has_value()},
                                                  {"n", call[number].has_value()},
                                                  {"ratio", call[ratio].has_value()},
                                                  {"decimals", call[decimals].has_value()}};
    const auto has = [](const std::vector<const char*>& names, const char* name) {
        return std::any_of(names.begin(), names.end(), [&](const char* n) { return EQUAL(n, name); });
    };
    for (const auto& [name, there] : given) {
        if (!there && has(op.needs, name))
            throw error{GDALMCP_INVALID_ARGUMENT, std::string{op.name} + " needs '" + name + "'",
                        std::string{"give '"} + name + "'"};
        if (there && !has(op.needs, name) && !has(op.takes, name))
            throw error{GDALMCP_INVALID_ARGUMENT,
                        std::string{"'"} + name + "' is given, and " + op.name + " has no use for it",
                        std::string{"leave '"} + name + "' out"};
    }
    if (call[by] && op.groups == grouping::never)
        throw error{GDALMCP_INVALID_ARGUMENT,
                    std::string{"'by' is given, and "} + op.name + " takes each feature alone",
                    "leave 'by' out; vector_dissolve unites the features of a group"};
}

derivation_choices choices_of(gdalmcp::call& call) {
    derivation_choices c;
    c.distance = call[distance].value_or(0);
    if (const auto unit = call[distance_unit].value; unit != "crs") c.metres = c.distance * metres_per(unit);
    c.n = call[number].value_or(0);
    c.seed = static_cast<std::uint64_t>(call[seed]);
    c.ratio = call[ratio].value_or(0.3);
    c.decimals = static_cast<int>(call[decimals].value_or(0));
    c.shape = call[shape].value;
    return c;
}

struct group {
    std::vector<OGRFeatureUniquePtr> members;  // without geometry; only the first, unless pieces carry theirs
    OGRGeometryCollection shapes;
    GIntBig features = 0, flat = 0;  // flat: without heights
};

struct tally {
    GIntBig read = 0, without = 0, invalid = 0, none = 0, wide = 0, parted = 0, raised = 0, curves = 0;
    std::int64_t vertices_before = 0, vertices_after = 0;
    double before = 0, after = 0;
    bool heights = false, heights_after = false;
};

class deriving {
public:
    deriving(gdalmcp::call& call, source_layer& from, const operation& op)
        : call_{call},
          from_{from},
          op_{op},
          grouped_{op.groups == grouping::always || call[by]},
          work_{derivation_of(op, choices_of(call), from)},
          by_{fields_named(*from.layer, call[by].value_or(std::vector<std::string>{}))},
          pass_{call, from, design()} {
        if (const auto text = call[where]) condition_.emplace(*from.layer, *text);
    }

    void run() {
        pass_.run(
            call_, "deriving",
            [&](OGRFeature& feature) {
                if (condition_ && !condition_->accepts(feature)) return true;
                ++all.read;
                const auto own = usable(feature);
                if (own && grouped_)
                    join(feature, *own);
                else if (own)
                    write({&feature}, work_.of(*own, static_cast<std::uint64_t>(feature.GetFID())), 1);
                return true;
            },
            grouped_ ? 0.4 : 0.95);
        for (std::size_t i = 0; i < groups_.size(); ++i) {
            auto& g = groups_[i];
            if (g.flat < g.features && EQUAL(op_.name, "collect")) all.raised += g.flat;
            pass_.attempt(*g.members.front(), [&] {
                std::vector<const OGRFeature*> members;
                for (const auto& m : g.members) members.push_back(m.get());
                write(members, of_group(g, i), g.features);
            });
            g.members.clear();
            g.shapes.empty();
            call_.progress(0.4 + 0.55 * static_cast<double>(i + 1) / static_cast<double>(groups_.size()), op_.name);
        }
        if (pass_.result().written() == 0 && pass_.failed().count > 0)
            throw error{GDALMCP_INVALID_ARGUMENT,
                        std::string{op_.name} + " makes no feature of layer '" + from_.layer->GetName() +
                            "': " + pass_.failed().first_reason,
                        "skip_failed leaves out what cannot be used, which is all of it here"};
        pass_.finish(call_);
    }
    void report();

    tally all;

private:
    void warn();
    layer_design design() const {
        layer_design d{work_.type, work_.multi, nullptr, all_fields(*from_.layer->GetLayerDefn())};
        if (grouped_ && !op_.carries_members) d.fields = by_;
        d.added = work_.fields;
        if (grouped_ && !op_.carries_members) d.added.push_back({"features", OFTInteger64});
        const bool one_for_one = !grouped_ && work_.fields.empty() && !EQUAL(op_.name, "random_points");
        d.new_ids = !one_for_one && !EQUAL(op_.name, "bounding");
        return d;
    }

    // The geometry to derive from, nullptr: none.
    std::unique_ptr<OGRGeometry> usable(const OGRFeature& feature) {
        const auto* own = feature.GetGeometryRef();
        if (!own || own->IsEmpty()) {
            ++all.without;
            return nullptr;
        }
        all.heights = all.heights || own->Is3D() || own->IsMeasured();
        all.curves += own->hasCurveGeometry(TRUE) != 0;
        std::unique_ptr<OGRGeometry> copy{own->clone()};
        if (own->getDimension() == 2) {
            const auto why = op_.valid ? gdal::invalid_reason(*own) : std::string{};
            if (!why.empty()) {
                ++all.invalid;
                copy = repair(*own, why).shape;
                if (!copy) throw unusable{"its geometry is invalid and nothing of it is left when repaired: " + why};
            }
            all.before += area_of(*copy);
        }
        all.vertices_before += vertex_count(*copy);
        return copy;
    }

    void join(const OGRFeature& feature, const OGRGeometry& own) {
        const auto [at, fresh] = known_.try_emplace(group_key(feature, by_), groups_.size());
        if (fresh) groups_.emplace_back();
        auto& g = groups_[at->second];
        ++g.features;
        g.flat += !own.Is3D();
        g.shapes.addGeometry(&own);
        if (!g.members.empty() && !op_.carries_members) return;
        g.members.emplace_back(feature.Clone());
        g.members.back()->SetGeometryDirectly(nullptr);
    }

    // A group is known by its first feature.
    pieces of_group(const group& g, std::size_t i) {
        try {
            return work_.of(g.shapes, i);
        } catch (const unusable& e) {
            throw unusable{"its group of " + counted(g.features) + ": " + e.why};
        }
    }

    void write(const std::vector<const OGRFeature*>& members, pieces made, GIntBig features) {
        if (made.empty()) ++all.none;
        if (made.size() > 1 && EQUAL(op_.name, "explode")) ++all.parted;
        if (pass_.result().written() + static_cast<GIntBig>(made.size()) > max_derived)
            throw error{GDALMCP_EXHAUSTED,
                        std::string{op_.name} + " makes more than " + std::to_string(max_derived) + " features",
                        "give a larger 'distance' or a smaller 'n', or take fewer features with 'where'"};
        for (auto& p : made) {
            if (p.shape->getDimension() == 2) all.after += area_of(*p.shape);
            all.vertices_after += vertex_count(*p.shape);
            all.heights_after = all.heights_after || p.shape->Is3D() || p.shape->IsMeasured();
            count_width(*p.shape);
        }
        for (auto& p : made) {  // all of them, once none is found unusable
            if (grouped_ && !op_.carries_members) p.values.push_back(static_cast<double>(features));
            pass_.add(*members[p.member], std::move(p.shape), p.values);
        }
    }

    double area_of(const OGRGeometry& g) {
        auto& areas = work_.state->areas;
        if (!areas) return 0;
        return by_geos([&] { return areas->area(*to_shape(g)); });
    }
    // More than half of the Earth in degrees: perhaps two sides of the antimeridian.
    void count_width(const OGRGeometry& g) {
        const auto& earth = work_.state->earth;
        if (!earth || !earth->geographic() || g.getDimension() != 2 || op_.groups == grouping::never) return;
        OGREnvelope box;
        g.getEnvelope(&box);
        all.wide += (box.MaxX - box.MinX) * earth->degrees_per_unit() > 180;
    }

    gdalmcp::call& call_;
    source_layer& from_;
    const operation& op_;
    bool grouped_;
    derivation work_;
    std::vector<int> by_;
    layer_pass pass_;
    std::optional<attribute_filter> condition_;
    std::deque<group> groups_;  // none is moved
    std::map<std::string, std::size_t> known_;
};

void deriving::report() {
    const auto& s = *work_.state;
    call_.put(method, s.frame ? s.frame->method() : work_.method);
    call_.put(features_read, all.read);
    if (grouped_) call_.put(groups, static_cast<std::int64_t>(groups_.size()));
    call_.put(without_geometry, all.without);
    call_.put(invalid_count, all.invalid);
    call_.put(none_count, all.none);
    if (EQUAL(op_.name, "voronoi")) call_.put(duplicates, s.duplicates);
    if (s.areas && all.before > 0) call_.put(area_before, all.before);
    if (s.areas && all.after > 0) call_.put(area_after, all.after);
    if (EQUAL(op_.name, "densify") || EQUAL(op_.name, "round")) {
        call_.put(vertices_before, all.vertices_before);
        call_.put(vertices_after, all.vertices_after);
    }
    if (s.frame)
        if (const auto off = s.frame->distance_error()) call_.put(distance_error, std::round(*off * 1e7) / 1e7);

    warn();
    call_.say(std::string{op_.name} + " of " + counted(all.read) + ": " + counted(pass_.result().written()));
}

void deriving::warn() {
    if (all.parted > 0)
        warn_of_whole_values(call_, "the parts of " + counted(all.parted) + " keep", {from_.layer->GetLayerDefn()});
    const auto& s = *work_.state;
    if (all.read == 0 && condition_) {
        const auto there = condition_->values_there(*from_.layer);
        call_.warn("no feature meets 'where'" + (there.empty() ? "" : ": " + there));
    } else if (all.read == 0) {
        call_.warn("the layer has no features");
    }
    if (all.invalid > 0) call_.warn(counted(all.invalid) + " with invalid geometries were repaired first");
    if (s.duplicates > 0)
        call_.warn(std::to_string(s.duplicates) + " points lie at the place of another, and share its cell");
    if (all.raised > 0)
        call_.warn(counted(all.raised) + " without heights are collected with others that have them, and get height 0");
    if (all.none > 0) {
        const bool alone = op_.groups == grouping::if_asked && !grouped_;
        call_.warn(std::to_string(all.none) + (grouped_ ? " groups" : " features") +
                   " left out: " + (EQUAL(op_.name, "round") ? "smaller than the grid" : "they span no area") +
                   (alone ? "; by: [] takes all features together" : ""));
    }
    if (s.frame && s.frame->beyond() > 0)
        call_.warn(std::to_string(s.frame->beyond()) +
                   " reach farther than 1000 km from their middle: they were laid on the map of the layer, whose "
                   "distances are not those on the ground");
    if (all.wide > 0)
        call_.warn(counted(all.wide) +
                   " wider than 180 degrees of longitude: if the data lie on both sides of the antimeridian, shift or "
                   "reproject them first");
    if (all.heights && !all.heights_after && !EQUAL(op_.name, "flatten"))
        call_.warn("heights (z) and measures (m) are left out");
    if (EQUAL(op_.name, "densify") || EQUAL(op_.name, "round") || EQUAL(op_.name, "vertices"))
        warn_of_curves(call_, all.curves);
}

void run(gdalmcp::call& call) {
    const auto name = call[what].value;
    const auto& op = operation_named(name);
    check_arguments(call, op);
    auto from = open_geometries(call);
    deriving work{call, from, op};
    work.run();
    work.report();
}

}  // namespace

const gdalmcp::tool tool{
    {.name = "vector_derive",
     .title = "Derive geometries",
     .about =
         "Makes points, outlines, cells or parts of the geometries of a layer, distances true on the ground on any "
         "CRS. Attributes are carried where one feature gives one or many; a group has those of 'by'.",
     .behaviour = GDALMCP_DESTRUCTIVE | GDALMCP_IDEMPOTENT},
    run,
    {uri, what, by, distance, distance_unit, number, seed, ratio, shape, decimals, where, only_layer_name, skip_failed,
     output, overwrite},
    {method, features_written, features_read, groups, without_geometry, invalid_count, none_count, duplicates,
     area_before, area_after, vertices_before, vertices_after, distance_error, layer_crs.all, failed_ids,
     failed_count}};

}  // namespace gdalmcp_vector_more::vector_derive
