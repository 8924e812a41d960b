// vector_clip: a layer cut at the edge of a mask or a box.
#include "ogr_layer_pass.hpp"
#include "ogr_repair.hpp"
#include "ogr_selection.hpp"
#include "ogr_whole_values.hpp"
#include "tools.hpp"

namespace gdalmcp_vector::vector_clip {

namespace {

using gdalmcp::arg;
using gdalmcp::error;
using gdalmcp::field;
namespace gdal = gdalmcp::gdal;

const arg<std::optional<gdalmcp::geometry>> mask{
    .name = "mask", .about = "Area to keep: GeoJSON polygon (CRS84) or a polygon dataset, its features together."};
const arg<std::optional<std::vector<double>>> bounds{
    .name = "bounds", .about = "Instead: box [minx, miny, maxx, maxy].", .min_items = 4, .max_items = 4};
const arg<std::optional<gdalmcp::crs>> bounds_crs{
    .name = "bounds_crs", .about = "CRS of bounds (default: the layer's) or of a mask that states none."};

const field<std::int64_t> before{"feature_count_before", "In the layer"};
const field<std::int64_t> unchanged{"unchanged_count", "Inside, as they are"};
const field<std::int64_t> cut{"cut_count", "Cut at the edge"};
const field<std::int64_t> outside{"outside_count", "Left out"};
const field<std::int64_t> touching{"touching_count", "Left out: only touch the edge"};
const field<std::int64_t> leftovers{"leftover_count", "Cut, less pieces that only touch"};
const field<std::int64_t> without_geometry{"without_geometry", "Left out"};
const field<std::int64_t> invalid_count{"invalid_count", "At the edge, cut repaired"};
const invalid_table invalid{"invalid", "The first 10"};
const auto some_invalid = invalid.all.optional();
const auto used = gdal::geometry_used;
const auto used_crs = gdal::geometry_crs_used;

gdal::placed_geometry place_area(gdalmcp::call& call, const source_layer& from) {
    const auto shape = call[mask];
    const auto box = call[bounds];
    if (shape.has_value() == box.has_value())
        throw error{GDALMCP_INVALID_ARGUMENT,
                    shape ? "both 'mask' and 'bounds' are given" : "neither 'mask' nor 'bounds' is given",
                    "give one of them"};
    const auto on = frame_of(from, shape ? "mask" : "bounds", "bounds_crs");
    gdalmcp::geometry given;
    if (shape)
        given = *shape;
    else
        given.bbox = {(*box)[0], (*box)[1], (*box)[2], (*box)[3]};
    auto area = gdal::place_geometry(given, call[bounds_crs], on);
    if (area.shape->getDimension() != 2)
        throw error{GDALMCP_INVALID_ARGUMENT,
                    "'mask' has no area: it is a " +
                        std::string{OGRGeometryTypeToName(wkbFlatten(area.shape->getGeometryType()))},
                    "give polygons; vector_buffer makes some of points and lines"};
    area.tell(call);
    OGREnvelope reach;
    area.shape->getEnvelope(&reach);
    if (from.extent.IsInit() && !from.extent.Intersects(reach)) refuse_apart(area, from, on.argument, on.of_crs);
    return area;
}

// One mask, and what it does to a feature.
class scissors {
public:
    explicit scissors(const OGRGeometry& area)
        : area_{area}, meets_{area, predicate::intersects}, holds_{area, predicate::within} {}

    enum class fate { inside, cut, touching, outside };
    struct outcome {
        fate what;
        std::unique_ptr<OGRGeometry> shape{};  // of a cut one
        bool leftovers = false;                // pieces of a lower dimension were dropped
        std::string invalid{};                 // GEOS' reason, of one that was repaired
    };
    // REQUIRES: not empty. Throws unusable.
    outcome apply(const OGRGeometry& own) const {
        OGREnvelope box;
        own.getEnvelope(&box);
        if (!meets_.may_accept(box)) return {fate::outside};
        // A box inside the mask has its feature inside, valid or not.
        const bool flat = box.MinX == box.MaxX || box.MinY == box.MaxY;
        if (!flat && holds_.accepts(*gdal::detail::rectangle(box.MinX, box.MinY, box.MaxX, box.MaxY)))
            return {fate::inside};
        outcome done{fate::outside};
        if (own.getDimension() > 0) done.invalid = gdal::invalid_reason(own);
        const auto mended = done.invalid.empty() ? repaired{} : repair(own, done.invalid);
        if (!done.invalid.empty() && !mended.shape) return done;
        const auto& shape = mended.shape ? *mended.shape : own;
        if (!meets_.accepts(shape)) {
            done.invalid.clear();
            return done;
        }
        if (holds_.accepts(shape)) {
            done.what = fate::inside;
            return done;
        }
        done.shape = clipped(shape, area_, &done.leftovers);
        // Points and lines on the edge are inside as well.
        if (done.shape && own.getDimension() < 2 && own.Equals(done.shape.get())) return {fate::inside};
        done.what = done.shape ? fate::cut : fate::touching;
        return done;
    }

private:
    const OGRGeometry& area_;
    spatial_filter meets_, holds_;
};

struct tally {
    GIntBig before = 0, inside = 0, cut = 0, outside = 0, touching = 0, leftovers = 0, without = 0, invalid = 0,
            curves = 0;
    taken_ordinates taken;
    std::vector<invalid_feature> first_invalid;
};

void report(gdalmcp::call& call, const tally& all, GIntBig written) {
    call.put(before, all.before);
    call.put(unchanged, all.inside);
    call.put(cut, all.cut);
    call.put(outside, all.outside);
    call.put(touching, all.touching);
    call.put(leftovers, all.leftovers);
    call.put(without_geometry, all.without);
    call.put(invalid_count, all.invalid);
    if (all.invalid > 0) {
        invalid.put(call, all.first_invalid);
        call.warn(counted(all.invalid) + " at the edge with invalid geometries (listed in 'invalid'), cut repaired");
        all.taken.tell(call);
    }
    warn_of_curves(call, all.curves);
    if (written == 0) call.warn("no feature lies in the mask: the output has none");
    call.say(counted(written) + " of " + std::to_string(all.before) + " left, " + std::to_string(all.cut) + " cut");
}

void run(gdalmcp::call& call) {
    auto from = open_geometries(call);
    const auto area = place_area(call, from);
    area.put(call);
    const scissors at{*area.shape};
    layer_pass pass{
        call,
        from,
        {from.layer->GetGeomType(), wants_multi(from, true), nullptr, all_fields(*from.layer->GetLayerDefn())}};
    tally all;
    gdal::wide_edges wide{from.crs};
    pass.run(call, "clipping", [&](OGRFeature& feature) {
        ++all.before;
        const auto* own = feature.GetGeometryRef();
        if (!own || own->IsEmpty()) {
            ++all.without;
            return true;
        }
        wide.see(*own, feature.GetFID());
        auto done = at.apply(*own);
        using fate = scissors::fate;
        if (!done.invalid.empty() && done.what != fate::inside && ++all.invalid <= 10)
            all.first_invalid.push_back({feature.GetFID(), done.invalid});
        all.outside += done.what == fate::outside;
        all.touching += done.what == fate::touching;
        all.cut += done.what == fate::cut;
        all.inside += done.what == fate::inside;
        all.leftovers += done.what == fate::cut && done.leftovers;
        all.curves += lost_curves(*own, done.shape.get());
        if (!done.invalid.empty()) all.taken.see(*own, done.shape.get());
        if (done.what == fate::inside) done.shape.reset(own->clone());
        if (done.shape) pass.add(feature, std::move(done.shape));
        return true;
    });
    pass.finish(call);
    wide.tell(call, "the features");
    if (all.cut > 0)
        warn_of_whole_values(call, counted(all.cut) + (all.cut == 1 ? " that was cut keeps" : " that were cut keep"),
                             {from.layer->GetLayerDefn()});
    report(call, all, pass.result().written());
}

}  // namespace

const gdalmcp::tool tool{
    {.name = "vector_clip",
     .title = "Clip a layer",
     .about = "Cuts features at the edge of a mask or box; attributes are kept, features inside keep every coordinate.",
     .behaviour = GDALMCP_DESTRUCTIVE | GDALMCP_IDEMPOTENT},
    run,
    {uri, mask, bounds, bounds_crs, only_layer_name, skip_failed, output, overwrite},
    {before, features_written, unchanged, cut, outside, touching, leftovers, without_geometry, invalid_count,
     some_invalid, used, used_crs, layer_crs.all, failed_ids, failed_count}};

}  // namespace gdalmcp_vector::vector_clip
