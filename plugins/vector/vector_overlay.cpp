// vector_overlay: two layers cut by each other, with the attributes of both.
#include <gdalmcp/crew.hpp>

#include <cmath>
#include <limits>

#include "ogr_ground.hpp"
#include "ogr_shapes.hpp"
#include "ogr_surface.hpp"
#include "ogr_whole_layers.hpp"
#include "ogr_whole_values.hpp"
#include "overlay.hpp"
#include "tools.hpp"

namespace gdalmcp_vector::vector_overlay {

namespace {

using gdalmcp::arg;
using gdalmcp::error;
using gdalmcp::field;
namespace gdal = gdalmcp::gdal;

const arg<gdalmcp::vector> first_uri{.name = "a", .about = "Polygons; lines or points where b only cuts them."};
const arg<gdalmcp::vector> second_uri{.name = "b", .about = "Polygons."};
const arg<gdalmcp::choice> operation{
    .name = "operation",
    .about =
        "intersection: parts in both; union: those and the rests; identity: a, cut by b; difference: a outside b; "
        "symmetric_difference: in one alone.",
    .values = {"intersection", "union", "difference", "symmetric_difference", "identity"},
    .synonyms = {{"intersect", "intersection"},
                 {"clip", "intersection"},
                 {"erase", "difference"},
                 {"xor", "symmetric_difference"}}};
const arg<bool> repair{
    .name = "repair", .about = "Repair invalid geometries instead of refusing them.", .fallback = false};
const arg<std::optional<std::string>> first_layer{.name = "a_layer", .about = "Default: the only one."};
const arg<std::optional<std::string>> second_layer{.name = "b_layer", .about = "Default: the only one."};

const field<std::string> method{"method", "CRS, measures"};
const auto area_m2 = field<double>{"area_m2", "Of the output, on the ellipsoid", "m²"}.optional();
const auto area_ha = field<double>{"area_ha", "The same", "ha"}.optional();
const auto length_m = field<double>{"length_m", "Of lines", "m"}.measured().optional();
const auto error_part =
    field<double>{"error", "(a - common - rest of a) / a; absent where it tells nothing"}.optional();
const field<double> area_a{"a_m2", "Layer a", "m²"}, area_b{"b_m2", "Layer b", "m²"},
    area_both{"common_m2", "Sum of the common parts", "m²"};
const gdalmcp::record balance{
    "balance", "Areas, and what they miss to add up", {area_a, area_b, area_both, error_part}};
const field<std::int64_t> sliver_count{"count", "Thin pieces, much narrower than their features", "features"};
const field<double> sliver_area{"area_m2", "Theirs", "m²"};
const gdalmcp::record slivers{"slivers", "Thin pieces", {sliver_count, sliver_area}};
const field<std::int64_t> overlaps_a{"a", "Within a"}, overlaps_b{"b", "Within b"};
const gdalmcp::record overlaps{"overlaps", "Pairs that overlap within a layer", {overlaps_a, overlaps_b}};
const auto some_balance = balance.optional(), some_slivers = slivers.optional(), some_overlaps = overlaps.optional();
const field<std::int64_t> repaired_count{"repaired_count", "Of both layers", "features"};
const field<std::int64_t> without_geometry{"without_geometry", "Of both layers, left out", "features"};
const field<std::vector<std::string>> names{"fields", "Of b, as called in the output"};

constexpr double thin = 0.01;    // compactness of a strip about 300 times as long as wide
constexpr double narrow = 0.01;  // width beside that of the features it is a piece of
constexpr double tolerance = 1e-6;

overlay_operation operation_of(const std::string& name) {
    return name == "intersection" ? overlay_operation::intersection
           : name == "union"      ? overlay_operation::union_of_both
           : name == "difference" ? overlay_operation::difference
           : name == "identity"   ? overlay_operation::identity
                                  : overlay_operation::symmetric_difference;
}

void check_dimensions(int a, int b, overlay_operation o) {
    if (b != 2)
        throw error{GDALMCP_INVALID_ARGUMENT, "'b' holds no polygons, which are what cuts",
                    "give the polygons as 'b', the lines or points as 'a'"};
    if (a != 2 && (o == overlay_operation::union_of_both || o == overlay_operation::symmetric_difference))
        throw error{GDALMCP_INVALID_ARGUMENT, "'a' holds no polygons, and this operation unites it with polygons",
                    "use intersection, difference or identity, or give polygons"};
}

// A piece ready to be written.
struct cut {
    std::unique_ptr<OGRGeometry> geometry;
    std::size_t a, b;
};
// m² of polygons, m of lines, number of points.
struct sums {
    double kept = 0, a = 0, b = 0, common = 0, rest = 0, sliver_area = 0;
    double repeated = 0;  // of lines and points: what lies in several of b, but for the first time
    std::int64_t slivers = 0, in_several = 0;
    void add(const sums& o) {
        kept += o.kept, a += o.a, b += o.b, common += o.common, rest += o.rest;
        sliver_area += o.sliver_area, repeated += o.repeated;
        slivers += o.slivers, in_several += o.in_several;
    }
};

struct overlaid_layers {
    source_layer a, b;
    held_layer held_a, held_b;
    int dimension = 2;
    bool degrees = false;
};

// What one worker measures with.
struct measuring {
    surface areas;
    ground lengths;
    explicit measuring(const OGRSpatialReference& crs) : areas{crs}, lengths{crs} {}
};

class cutting {
public:
    cutting(const overlaid_layers& l, overlay_operation o, std::size_t workers)
        : l_{l}, all_{l.held_a.all_shapes(), l.held_b.all_shapes(), o, workers} {
        for (std::size_t i = 0; i < workers; ++i) measures_.push_back(std::make_unique<measuring>(l.a.crs));
    }
    const overlay& all() const { return all_; }

    // Shapes `begin` to `end` of a, then those of b.
    void cut_portion(std::size_t begin, std::size_t end, std::size_t worker, std::vector<cut>& out, sums& total) {
        auto& with = *measures_[worker];
        const std::size_t a_count = l_.held_a.size();
        for (auto i = begin; i < end; ++i) {
            try {
                if (i < a_count)
                    cut_first(i, worker, out, total);
                else
                    cut_second(i - a_count, with, out, total);
            } catch (const geos::failure& e) {
                fail(i, e.what());
            } catch (const unusable& e) {
                fail(i, e.why);
            }
        }
    }

private:
    [[noreturn]] void fail(std::size_t i, const std::string& why) const {
        const bool first = i < l_.held_a.size();
        const auto& f = first ? *l_.held_a.features[i] : *l_.held_b.features[i - l_.held_a.size()];
        throw error{GDALMCP_INVALID_ARGUMENT,
                    "feature " + std::to_string(f.GetFID()) + " of '" + (first ? "a" : "b") + "' cannot be cut: " + why,
                    "leave it out with vector_query"};
    }

    void cut_first(std::size_t i, std::size_t worker, std::vector<cut>& out, sums& total) {
        auto& with = *measures_[worker];
        const auto* own = l_.held_a.shapes[i].get();
        if (!own) return;
        if (l_.dimension == 2 || all_.wants_outside()) total.a += size(*own, with);
        auto pieces = all_.of_first(i, worker);
        double common = 0;
        std::vector<const GEOSGeometry*> inside;
        for (const auto& p : pieces) {
            const double own_size = size(*p.shape, with);
            (p.b == overlay_piece::nobody ? total.rest : common) += own_size;
            if (p.kept) total.kept += own_size;
            if (l_.dimension < 2 && p.b != overlay_piece::nobody) inside.push_back(p.shape.get());
        }
        total.common += common;
        if (inside.size() > 1) {
            const auto once = geos::owned(GEOSUnaryUnion_r(geos::handle(), geos::collected(inside).get()));
            if (const double more = common - size(*once, with); more > tolerance * common) {
                total.repeated += more;
                ++total.in_several;
            }
        }
        for (auto& p : pieces)
            if (p.kept) keep(std::move(p), out, total, with);
    }
    void cut_second(std::size_t j, measuring& with, std::vector<cut>& out, sums& total) {
        const auto* own = l_.held_b.shapes[j].get();
        if (!own) return;
        if (l_.dimension == 2) total.b += size(*own, with);
        if (auto rest = all_.rest_of_second(j)) {
            total.kept += size(*rest, with);
            keep({std::move(rest), overlay_piece::nobody, j}, out, total, with);
        }
    }
    double size(const GEOSGeometry& g, measuring& with) const {
        if (l_.dimension == 2) return with.areas.area(g);
        if (l_.dimension == 1) return with.lengths.measure(*to_ogr(g)).length.value_or(0);
        return GEOSGetNumGeometries_r(geos::handle(), &g);
    }
    void keep(overlay_piece p, std::vector<cut>& out, sums& total, measuring& with) const {
        if (l_.dimension == 2 && sliver(p)) {
            ++total.slivers;
            total.sliver_area += with.areas.area(*p.shape);
        }
        out.push_back({to_ogr(*p.shape), p.a, p.b});
    }
    bool sliver(const overlay_piece& p) const {
        const auto box = geos::box_of(*p.shape);
        const double x_scale = l_.degrees ? std::cos((box.miny + box.maxy) / 2 * 3.14159265358979323846 / 180) : 1;
        const auto own = outline_of(*p.shape, x_scale);
        if (own.compactness() >= thin) return false;
        const auto narrower = [&](const std::vector<geos::shape>& shapes, std::size_t whole) {
            return whole == overlay_piece::nobody || own.width() < narrow * outline_of(*shapes[whole], x_scale).width();
        };
        return narrower(l_.held_a.shapes, p.a) && narrower(l_.held_b.shapes, p.b);
    }

    const overlaid_layers& l_;
    overlay all_;
    std::vector<std::unique_ptr<measuring>> measures_;
};

// The workers cut while this thread writes what is cut, in the order of the layers.
sums write_all(gdalmcp::call& call, layer_pass& pass, const overlaid_layers& l, cutting& cuts, std::size_t workers,
               bool with_b) {
    constexpr double none = std::numeric_limits<double>::quiet_NaN();
    constexpr std::size_t portion = 128;
    const std::size_t all = l.held_a.size() + l.held_b.size();
    const std::size_t batch = portion * 8 * workers;
    struct part {
        std::vector<cut> cuts;
        sums total;
    };
    sums total;
    std::vector<part> cutting_now, done;
    const auto write = [&] {
        for (auto& p : done) {
            total.add(p.total);
            for (auto& c : p.cuts) {
                const auto* a = c.a == overlay_piece::nobody ? nullptr : l.held_a.features[c.a].get();
                const auto* b = c.b == overlay_piece::nobody ? nullptr : l.held_b.features[c.b].get();
                std::vector<double> ids{a ? static_cast<double>(a->GetFID()) : none};
                if (with_b) ids.push_back(b ? static_cast<double>(b->GetFID()) : none);
                if (a)
                    pass.attempt(*a, [&] { pass.add(*a, std::move(c.geometry), ids, b); });
                else
                    pass.add_joined(*b, std::move(c.geometry), ids);
            }
        }
        done.clear();
    };
    gdalmcp::crew crew{workers};
    for (std::size_t begin = 0; begin < all; begin += batch) {
        crew.wait();
        done = std::move(cutting_now);
        const auto end = std::min(all, begin + batch);
        cutting_now = std::vector<part>((end - begin + portion - 1) / portion);
        const auto run_one = [&, begin, end](std::size_t k) {
            return [&, begin, end, k](std::size_t worker) {
                const auto from = begin + k * portion;
                cuts.cut_portion(from, std::min(from + portion, end), worker, cutting_now[k].cuts,
                                 cutting_now[k].total);
            };
        };
        std::size_t k = 0;
        // As many as wait without blocking, so that writing begins at once.
        for (; k < std::min(2 * workers, cutting_now.size()); ++k) crew.run(run_one(k));
        write();
        for (; k < cutting_now.size(); ++k) crew.run(run_one(k));
        call.progress(0.3 + 0.65 * static_cast<double>(begin) / static_cast<double>(all), "cutting");
    }
    crew.wait();
    done = std::move(cutting_now);
    write();
    return total;
}

struct own_overlaps {
    overlapping_pairs a, b;
};

own_overlaps look_for_overlaps(const overlaid_layers& l, std::size_t workers) {
    own_overlaps found;
    const auto a = l.held_a.all_shapes(), b = l.held_b.all_shapes();
    bool clean_a = l.dimension != 2, clean_b = false;
    gdalmcp::crew crew{workers};
    if (!clean_a) crew.run([&](std::size_t) { clean_a = proven_disjoint(a); });
    crew.run([&](std::size_t) { clean_b = proven_disjoint(b); });
    crew.wait();
    std::vector<std::unique_ptr<surface>> surfaces;
    for (std::size_t i = 0; i < workers; ++i) surfaces.push_back(std::make_unique<surface>(l.a.crs));
    const auto area = [&](const GEOSGeometry& shape, std::size_t worker) {
        try {
            return surfaces[worker]->area(shape);
        } catch (const unusable&) {
            return 0.0;  // it has no place on the Earth
        }
    };
    if (!clean_a) found.a = find_overlaps(a, workers, area);
    if (!clean_b) found.b = find_overlaps(b, workers, area);
    return found;
}

// In m², or cm² where that would be 0.
std::string small_area(double m2) {
    if (m2 >= 1) return gdal::number_text(std::round(m2)) + " m²";
    return m2 * 1e4 >= 1 ? gdal::number_text(std::round(m2 * 1e4)) + " cm²" : "less than 1 cm²";
}

void warn_of_overlaps(gdalmcp::call& call, const overlapping_pairs& pairs, const held_layer& layer, const char* name) {
    if (pairs.count == 0) return;
    const auto& [i, j] = pairs.first.front();
    call.warn(std::to_string(pairs.count) + (pairs.count == 1 ? " pair" : " pairs") + " of features within '" + name +
              "' overlap, by " + small_area(pairs.area) + ", the first " + std::to_string(layer.features[i]->GetFID()) +
              " and " + std::to_string(layer.features[j]->GetFID()) +
              ": their common parts appear once for each, and sums count them repeatedly");
}

// What common parts and rest miss of layer a, as a share of it.
double error_of(const sums& total) { return total.a > 0 ? (total.a - total.common - total.rest) / total.a : 0; }

// Whether the sums tell if areas add up: where features of b overlap, what they take from a counts once for each, and
// of a difference that is not in the result.
bool can_balance(const overlay& all, const own_overlaps& own) {
    return all.wants_outside() && (!all.only_outside() || own.b.count == 0);
}

// For the method: whether the areas add up. Empty where that is not known.
std::string balance_text(const sums& total, const overlay& all, const own_overlaps& own) {
    if (!can_balance(all, own)) return {};
    if (std::abs(error_of(total)) <= tolerance) return ", in balance within 1e-6";
    return ", not in balance (error " + gdal::number_text(gdalmcp::significant(error_of(total), 3)) + ")" +
           (own.b.count > 0 ? ": where features of b overlap, their part of a counts once for each" : "");
}

// What the areas must obey; throws nothing, but says what is off.
void put_areas(gdalmcp::call& call, const sums& total, const overlay& all, const own_overlaps& own) {
    call.put(area_m2, total.kept);
    call.put(area_ha, total.kept / 1e4);
    auto areas = call.at(balance);
    areas.put(area_a, total.a);
    areas.put(area_b, total.b);
    areas.put(area_both, total.common);
    auto thin_ones = call.at(slivers);
    thin_ones.put(sliver_count, total.slivers);
    thin_ones.put(sliver_area, total.sliver_area);
    auto pairs = call.at(overlaps);
    pairs.put(overlaps_a, static_cast<std::int64_t>(own.a.count));
    pairs.put(overlaps_b, static_cast<std::int64_t>(own.b.count));
    if (total.slivers > 0)
        call.warn(std::to_string(total.slivers) + (total.slivers == 1 ? " sliver, " : " slivers, ") +
                  small_area(total.sliver_area) + " in all: the edges of the layers may mean the same line");
    if (!all.wants_outside()) {
        if (own.a.count + own.b.count == 0 && total.common > std::min(total.a, total.b) * (1 + tolerance))
            call.warn("the common area is larger than that of a layer: the result is not to be trusted");
        return;
    }
    if (!can_balance(all, own)) return;
    const double error = error_of(total);
    areas.put(error_part, error);
    if (own.b.count == 0 && std::abs(error) > tolerance)
        call.warn("the areas do not add up: common parts and rest differ from layer a by " +
                  gdal::number_text(total.a - total.common - total.rest) + " m²");
}

// Lines and points: what several of b share is in the pieces of each, and sums count it as often.
void warn_of_repeated(gdalmcp::call& call, const sums& total, int dimension) {
    const auto metres = [](double m) { return gdal::number_text(std::round(m * 10) / 10) + " m"; };
    const bool one = total.in_several == 1;
    if (total.in_several > 0)
        call.warn(counted(total.in_several) + " of 'a' " + (one ? "lies" : "lie") +
                  " in several of 'b' at once, as along a border they share, and " + (one ? "has" : "have") +
                  " a piece for each: " +
                  (dimension == 1 ? "the lengths add up to " + metres(total.kept) + ", of which " +
                                        metres(total.repeated) + " are repeated"
                                  : gdal::number_text(total.repeated) + " of the " + gdal::number_text(total.kept) +
                                        " points are repeated"));
    const double folded = total.a - (total.common - total.repeated) - total.rest;
    if (dimension == 1 && total.a > 0 && std::abs(folded) > tolerance * total.a)
        call.warn("the pieces are " + metres(folded) +
                  " shorter than the lines of 'a', which run over themselves: there they count once");
}

void tell_of_collections(gdalmcp::call& call, GIntBig mixed, int dimension, const char* name) {
    constexpr const char* less[] = {"", "points", "lines and points"};
    if (mixed > 0)
        call.warn(counted(mixed) + " of '" + name + "' " + (mixed == 1 ? "is a collection" : "are collections") +
                  ": left out of the result are their " + less[dimension]);
}

void hold_both(gdalmcp::call& call, overlaid_layers& l, transformation& moved, overlay_operation o) {
    const auto choice = call[repair] ? invalid_choice::repair : invalid_choice::keep;
    l.held_a = hold(*l.a.layer, nullptr, true, choice, call[skip_failed], call.part(0.0, 0.1, "reading a"));
    l.held_b = hold(*l.b.layer, &moved, true, choice, call[skip_failed], call.part(0.1, 0.2, "reading b"));
    if (choice == invalid_choice::keep) {
        refuse_invalid(l.held_a, "a");
        refuse_invalid(l.held_b, "b");
    }
    l.dimension = dimension_of(l.held_a, "a");
    check_dimensions(l.dimension, dimension_of(l.held_b, "b"), o);
    tell_of_collections(call, keep_dimension(l.held_a, l.dimension), l.dimension, "a");
    tell_of_collections(call, keep_dimension(l.held_b, 2), 2, "b");
    l.degrees = l.a.crs.IsGeographic() != FALSE;
}

// with_b: whether pieces have something of b.
layer_design design_of(const overlaid_layers& l, bool with_b) {
    constexpr OGRwkbGeometryType kinds[] = {wkbPoint, wkbLineString, wkbPolygon};
    // Of points no piece has more than one, of lines and polygons any may.
    const bool multi = wkbFlatten(l.a.layer->GetGeomType()) != wkbPoint;
    layer_design design{kinds[l.dimension], multi, nullptr, all_fields(*l.a.layer->GetLayerDefn())};
    design.added = {{"a_fid", OFTInteger64}};
    if (with_b) {
        design.joined = {l.b.dataset.get(), l.b.layer->GetLayerDefn(), all_fields(*l.b.layer->GetLayerDefn()), "_b"};
        design.added.push_back({"b_fid", OFTInteger64});
    }
    design.new_ids = true;
    return design;
}

void run(gdalmcp::call& call) {
    overlaid_layers l{
        open_layer_of(call, first_uri, first_layer), open_layer_of(call, second_uri, second_layer), {}, {}};
    const auto o = operation_of(call[operation].value);
    for (const auto* side : {&l.a, &l.b}) require_geometries(*side, "give a layer with geometries");
    refuse_mixed_turns(l.a, &l.b, false);
    auto moved = reconciled(call, l.a, "a", l.b, "b");
    hold_both(call, l, moved, o);
    const auto workers = gdalmcp::gdal::threads_of_call();
    call.progress(0.2, "looking for overlaps");
    const auto own = look_for_overlaps(l, workers);
    call.progress(0.3, "cutting");
    const bool difference = o == overlay_operation::difference;
    layer_pass pass{call, l.a, design_of(l, !difference)};
    pass.already_left_out(l.held_a.failed);
    cutting cuts{l, o, workers};
    const auto total = write_all(call, pass, l, cuts, workers, !difference);
    pass.finish(call);

    call.put(method,
             call[operation].value + " by GEOS in " + gdal::crs_label(l.a.crs) + transformed_text(moved, l.b, "b") +
                 (l.dimension == 2
                      ? "; slivers: 4π·area/perimeter² below 0.01, and 2·area/perimeter below a hundredth of that "
                        "of the features; areas on the ellipsoid" +
                            balance_text(total, cuts.all(), own)
                  : l.dimension == 1 ? "; lengths on the ellipsoid"
                                     : ""));
    call.put(names, pass.result().joined_names());
    const auto invalid = static_cast<std::int64_t>(l.held_a.invalid.size() + l.held_b.invalid.size());
    call.put(repaired_count, invalid);
    call.put(without_geometry, l.held_a.without_geometry + l.held_b.without_geometry);
    if (l.dimension == 2) put_areas(call, total, cuts.all(), own);
    if (l.dimension == 1) call.put(length_m, total.kept);
    if (l.dimension < 2 && !difference) warn_of_repeated(call, total, l.dimension);
    warn_of_repaired(call, {&l.held_a, &l.held_b});
    if (l.held_b.failed.count > 0)
        call.warn(l.held_b.failed.said(" of 'b' left out") + "; the first: " + l.held_b.failed.first_reason);
    l.held_a.wide.tell(call, "the features of 'a'");
    l.held_b.wide.tell(call, "the features of 'b'");
    warn_of_overlaps(call, own.a, l.held_a, "a");
    if (!difference) warn_of_overlaps(call, own.b, l.held_b, "b");
    for (const auto& [held, name] : {std::pair{&l.held_a, "a"}, std::pair{&l.held_b, "b"}})
        if (held->size() == 0 && held->failed.count == 0)
            call.warn(std::string{"layer '"} + name + "' has no features");
    // Features that come through whole are as many as before, and cover as much.
    const auto whole = [&](const held_layer& held, double area) {
        return pass.result().written() == static_cast<GIntBig>(held.size()) && total.common >= (1 - 1e-9) * area;
    };
    const bool apart = total.common == 0;
    const bool uncut = apart || (whole(l.held_a, total.a) && whole(l.held_b, total.b));
    if (l.dimension > 0 && pass.result().written() > 0 && !uncut) {
        auto *of_a = l.a.layer->GetLayerDefn(), *of_b = l.b.layer->GetLayerDefn();
        if (difference)
            warn_of_whole_values(call, "pieces keep", {of_a});
        else
            warn_of_whole_values(call, "pieces keep", {of_a, of_b});
    }
    warn_of_flattened(call, {&l.held_a, &l.held_b});
    const bool covered = difference && total.a > 0 && total.common - total.repeated >= (1 - 1e-9) * total.a;
    if (pass.result().written() == 0)
        call.warn(covered ? "no pieces: 'b' covers all of 'a'"
                          : "no pieces: check that the layers cover the same area");
    constexpr std::size_t megabyte = 1'000'000;
    call.say(counted(pass.result().written()) + " written; both layers held in memory, about " +
             std::to_string((l.held_a.size_bytes() + l.held_b.size_bytes()) / megabyte + 1) + " MB");
}

}  // namespace

const gdalmcp::tool tool{
    {.name = "vector_overlay",
     .title = "Overlay two layers",
     .about = "Cuts layers by each other; pieces carry the attributes of both, a_fid and b_fid. Areas are true and "
              "checked to add up; slivers and overlaps within a layer are counted.",
     .behaviour = GDALMCP_DESTRUCTIVE | GDALMCP_IDEMPOTENT},
    run,
    {first_uri, second_uri, operation, repair, first_layer, second_layer, skip_failed, output, overwrite},
    {method, features_written, area_m2, area_ha, length_m, some_balance, some_slivers, some_overlaps, repaired_count,
     without_geometry, names, layer_crs.all, failed_ids, failed_count}};

}  // namespace gdalmcp_vector::vector_overlay
