// vector_buffer: the area within a distance on the ground of each feature, or of all.
#include "ogr_ground_buffer.hpp"
#include "ogr_layer_pass.hpp"
#include "ogr_repair.hpp"
#include "ogr_shapes.hpp"
#include "ogr_surface.hpp"
#include "ogr_union.hpp"
#include "tools.hpp"

#include <gdalmcp/gdal_collect.hpp>

namespace gdalmcp_vector::vector_buffer {

namespace {

using gdalmcp::arg;
using gdalmcp::error;
using gdalmcp::field;
namespace gdal = gdalmcp::gdal;

constexpr double small_error = 1e-3;  // of a map's scale, up to which its own plane serves

const arg<double> distance{.name = "distance", .about = "In 'unit'; negative shrinks polygons.", .examples = {"500"}};
const arg<std::int64_t> segments{
    .name = "segments", .about = "Chords of a quarter of a circle.", .fallback = 16, .min = 1, .max = 200};
const arg<bool> dissolve{
    .name = "dissolve", .about = "Unite all buffers into one feature without attributes.", .fallback = false};

const field<std::string> method{"method", "How the distance was taken on this CRS"};
const auto distance_m = field<double>{"distance_m", "Absent for unit crs", "m"}.optional();
const auto distance_error =
    field<double>{"distance_error", "A distance is off by at most; chords apart", "share"}.optional();
const auto area_m2 = field<double>{"area_m2", "Ellipsoid; overlaps count in each", "m²"}.optional();
const auto area_ha = field<double>{"area_ha", "The same", "ha"}.optional();
const auto parts = field<std::int64_t>{"parts", "With dissolve"}.optional();
const field<std::int64_t> buffered_count{"buffered_count", "Features with one"};
const field<std::int64_t> vanished_count{"vanished_count", "Shrunk to nothing"};
const field<std::int64_t> without_geometry{"without_geometry", "Left out"};
const field<std::int64_t> invalid_count{"invalid_count", "Repaired first"};
const invalid_table invalid{"invalid", "The first 10"};
const auto some_invalid = invalid.all.optional();

// How a layer's features are buffered.
struct plan {
    std::optional<double> metres;  // nothing: in the layer's units, as asked
    double in_units = 0;           // of the map, where its plane serves
    bool on_map = true;
    double error = 0;  // of the map's scale
    std::string method;
};

plan plan_of(gdalmcp::call& call, const source_layer& from) {
    plan p;
    const double given = call[distance];
    const auto unit = call[distance_unit].value;
    if (given == 0)
        throw error{GDALMCP_INVALID_ARGUMENT, "'distance' is 0, which leaves every feature as it is",
                    "give a distance; vector_validate repairs geometries"};
    const auto label = from.crs.IsEmpty() ? std::string{"a layer without CRS"} : gdal::crs_label(from.crs);
    if (unit == "crs") {
        p.in_units = given;
        p.method = "in the units of " + label + ", as asked";
        if (from.crs.IsGeographic())
            call.warn("'unit' is crs, and those of " + label +
                      " are degrees: the buffers are no circles on the ground; leave 'unit' out for metres");
        else if (!from.crs.IsEmpty())
            if (const auto off = ground{from.crs}.scale_error(from.extent); off && *off > noticeable_error)
                call.warn("the scale of " + label + " is off by up to " + percent(*off) +
                          " here, and so is the distance on the ground; leave 'unit' out for metres");
        return p;
    }
    const ground earth{from.crs};
    p.metres = given * metres_per(unit);
    if (std::abs(*p.metres) > ground_buffer::max_distance)
        throw error{GDALMCP_INVALID_ARGUMENT,
                    "'distance' is " + gdal::number_text(*p.metres / 1000) + " km, and the longest is " +
                        gdal::number_text(ground_buffer::max_distance / 1000) + " km",
                    "give a shorter one, in 'unit'"};
    p.in_units = *p.metres / from.crs.GetLinearUnits();
    auto reach = from.extent;
    const double more = std::abs(p.in_units);
    if (reach.IsInit()) {
        reach.MinX -= more, reach.MinY -= more;
        reach.MaxX += more, reach.MaxY += more;
    }
    const auto off = earth.scale_error(reach);
    p.on_map = off && *off <= small_error;
    p.error = p.on_map ? *off : 0;
    p.method =
        p.on_map
            ? "in the plane of " + label + ", whose scale here is off by up to " + percent(*off)
            : "in azimuthal equidistant planes around each feature (of long ones, around pieces), then in " + label;
    return p;
}

// Behind GEOS' reason, of a polygon whose rings were buffered.
constexpr const char* flat = "; it has no area, its outline was buffered";

void add_rings(const OGRGeometry& shape, OGRMultiLineString& into) {
    struct visitor : OGRDefaultConstGeometryVisitor {
        using OGRDefaultConstGeometryVisitor::visit;
        OGRMultiLineString& into;
        explicit visitor(OGRMultiLineString& m) : into{m} {}
        void visit(const OGRLinearRing* ring) override {
            auto line = std::make_unique<OGRLineString>();
            line->addSubLineString(ring);
            into.addGeometryDirectly(line.release());
        }
    } each{into};
    linear(shape)->accept(&each);
}

// One for each worker.
class buffering {
public:
    buffering(const plan& p, const source_layer& from, int segments, bool measures) : plan_{p}, segments_{segments} {
        if (!p.on_map) on_ground_.emplace(from.crs, from.extent, *p.metres, segments);
        if (measures) surface_.emplace(from.crs);
    }
    layer_pass::made of(const OGRFeature& feature, bool measure) {
        const auto& own = *feature.GetGeometryRef();
        layer_pass::made done;
        if (own.getDimension() == 2 || (own.getDimension() == 1 && gdal::detail::lone_vertex(own)))
            done.invalid = gdal::invalid_reason(own);
        const auto mended = done.invalid.empty() ? repaired{} : repair(own, done.invalid);
        // A polygon without area is the line of its rings.
        OGRMultiLineString lines;
        if (!done.invalid.empty() && !mended.shape) {
            require_wall(own, done.invalid);
            if (plan_.in_units < 0) return done;
            add_rings(own, lines);
            done.invalid += flat;
        }
        const auto& shape = !lines.IsEmpty() ? lines : mended.shape ? *mended.shape : own;
        if (on_ground_)
            done.shape = on_ground_->of(shape);
        else
            done.shape = on_map(shape);
        if (surface_ && done.shape && measure) done.area = surface_->area(*to_shape(*done.shape));
        return done;
    }
    double distance_error() const { return on_ground_ ? on_ground_->distance_error() : plan_.error; }

private:
    std::unique_ptr<OGRGeometry> on_map(const OGRGeometry& shape) const {
        if (plan_.in_units < 0 && shape.getDimension() < 2)
            throw unusable{"it has no area that a negative distance could shrink"};
        auto out = planar_buffer(shape, plan_.in_units, segments_);
        return out->IsEmpty() ? nullptr : std::move(out);
    }
    const plan& plan_;
    int segments_;
    std::optional<ground_buffer> on_ground_;
    std::optional<surface> surface_;  // of a layer whose place is known
};

struct tally {
    GIntBig buffered = 0, vanished = 0, without_geometry = 0, invalid = 0;
    bool has_z = false, has_m = false;
    double area = 0;
    std::vector<invalid_feature> first_invalid;
};

void report(gdalmcp::call& call, const plan& p, const tally& all, double error, bool measured) {
    call.put(method, p.method);
    if (p.metres) {
        call.put(distance_m, *p.metres);
        call.put(distance_error, std::round(error * 1e7) / 1e7);
    }
    if (measured) {
        call.put(area_m2, all.area);
        call.put(area_ha, all.area / 1e4);
    } else {
        call.warn("the layer has no CRS: areas are not told in m²");
    }
    call.put(buffered_count, all.buffered);
    call.put(vanished_count, all.vanished);
    call.put(without_geometry, all.without_geometry);
    call.put(invalid_count, all.invalid);
    if (all.invalid > 0) {
        invalid.put(call, all.first_invalid);
        call.warn(counted(all.invalid) + " with invalid geometries (listed in 'invalid'), repaired before the buffer");
    }
    if (all.has_z || all.has_m)
        call.warn(std::string{"buffers have no "} + (all.has_z ? all.has_m ? "z and m" : "z" : "m") + " values");
    if (all.vanished > 0) call.warn(counted(all.vanished) + " shrunk to nothing, left out");
    call.say(counted(all.buffered) + " buffered " + p.method);
}

void run(gdalmcp::call& call) {
    auto from = open_geometries(call);
    if (const auto why = gdal::misplaced(from.extent, from.crs); !why.empty())
        call.warn("the features do not fit their CRS: " + why);
    const auto p = plan_of(call, from);
    const bool unite = call[dissolve], measures = !from.crs.IsEmpty() && !from.crs.IsLocal();
    layer_pass pass{
        call, from, {wkbPolygon, true, nullptr, unite ? std::vector<int>{} : all_fields(*from.layer->GetLayerDefn())}};
    std::vector<std::unique_ptr<buffering>> tools;
    for (std::size_t i = 0; i < layer_pass::workers(); ++i)
        tools.push_back(std::make_unique<buffering>(p, from, static_cast<int>(call[segments]), measures));
    tally all;
    std::vector<std::unique_ptr<OGRGeometry>> shapes;
    pass.run_parallel(
        call, "buffering",
        [&](std::size_t worker, const OGRFeature& feature) { return tools[worker]->of(feature, measures && !unite); },
        [&](OGRFeature& feature, layer_pass::made done) {
            if (const auto* own = feature.GetGeometryRef(); !own || own->IsEmpty()) {
                ++all.without_geometry;
                return;
            }
            if (!done.invalid.empty() && ++all.invalid <= 10)
                all.first_invalid.push_back({feature.GetFID(), done.invalid});
            all.has_z = all.has_z || feature.GetGeometryRef()->Is3D();
            all.has_m = all.has_m || feature.GetGeometryRef()->IsMeasured();
            ++(done.shape ? all.buffered : all.vanished);
            if (!done.shape) return;
            all.area += done.area;
            if (unite)
                shapes.push_back(std::move(done.shape));
            else
                pass.add(feature, std::move(done.shape));
        },
        unite ? 0.5 : 0.95);
    if (unite) {
        auto one = united(std::move(shapes), layer_pass::workers(), call.part(0.5, 0.95, "uniting"));
        try {
            if (one && measures) all.area = ground{from.crs}.area(*one);
        } catch (const unusable& e) {
            throw error{GDALMCP_UNSUPPORTED, "the united buffers cannot be measured: " + e.why,
                        "leave 'dissolve' out, or reproject the layer to a CRS that shows them whole"};
        }
        call.put(parts, one ? OGR_GT_IsSubClassOf(one->getGeometryType(), wkbGeometryCollection)
                                  ? one->toGeometryCollection()->getNumGeometries()
                                  : 1
                            : 0);
        if (one) pass.add_one(std::move(one));
    }
    double error = p.error;
    for (const auto& t : tools) error = std::max(error, t->distance_error());
    pass.finish(call);
    report(call, p, all, error, measures);
}

}  // namespace

const gdalmcp::tool tool{
    {.name = "vector_buffer",
     .title = "Buffer features",
     .about = "The area within a distance of each feature, true on the ground on any CRS; 'dissolve' unites them.",
     .behaviour = GDALMCP_DESTRUCTIVE | GDALMCP_IDEMPOTENT},
    run,
    {uri, distance, distance_unit, segments, dissolve, only_layer_name, skip_failed, output, overwrite},
    {method, features_written, distance_m, distance_error, area_m2, area_ha, parts, buffered_count, vanished_count,
     without_geometry, invalid_count, some_invalid, layer_crs.all, failed_ids, failed_count}};

}  // namespace gdalmcp_vector::vector_buffer
