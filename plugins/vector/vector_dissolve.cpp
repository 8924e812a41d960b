// vector_dissolve: the features of each group as one, with statistics of their fields.
#include <gdalmcp/crew.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>

#include "ogr_aggregates.hpp"
#include "ogr_field_marks.hpp"
#include "ogr_ground.hpp"
#include "ogr_selection.hpp"
#include "ogr_shapes.hpp"
#include "ogr_surface.hpp"
#include "ogr_whole_layers.hpp"
#include "ogr_whole_values.hpp"
#include "overlay.hpp"
#include "tools.hpp"

namespace gdalmcp_vector::vector_dissolve {

namespace {

using gdalmcp::arg;
using gdalmcp::error;
using gdalmcp::field;
namespace gdal = gdalmcp::gdal;

constexpr std::size_t max_rows = 20;  // of groups_first in the result

const arg<std::optional<std::vector<std::string>>> by{
    .name = "by",
    .about = "Fields whose equal values make a group; null is a value. Default: all in one.",
    .or_single = true};
const arg<std::optional<gdalmcp::json_text>> wanted{
    .name = "aggregate",
    .about =
        "{field: statistic, or a list}: sum, mean, min, max, count, first, last, median, stdev, distinct. Nulls are "
        "left out.",
    .examples = {"{\"pop\":\"sum\"}"}};
const arg<bool> repair{
    .name = "repair", .about = "Repair invalid geometries instead of refusing them.", .fallback = false};

const field<std::string> method{"method", "How, in which CRS"};
const field<std::int64_t> groups{"groups", "Features written"};
const field<std::int64_t> features_read{"features_read", "Over all groups"};
const field<std::int64_t> null_groups{"null_groups", "With a null in 'by'"};
const auto area_m2 = field<double>{"area_m2", "After, on the ellipsoid", "m²"}.optional();
const auto area_ha = field<double>{"area_ha", "The same", "ha"}.optional();
const auto area_before = field<double>{"area_before_m2", "Sum of all features", "m²"}.optional();
const auto overlap = field<double>{"overlap_m2", "Lost where features of a group overlap", "m²"}.optional();
const auto length_m = field<double>{"length_m", "Of lines, after", "m"}.measured().optional();
const field<std::int64_t> repaired_count{"repaired_count", "Invalid, repaired", "features"};
const field<std::int64_t> without_geometry{"without_geometry", "Features without"};
const field<std::string> key{"key", "Values of 'by'"};
const field<std::int64_t> members{"features", "In the group"};
const gdalmcp::table first_groups{"groups_first", "The first 20", {key, members, area_m2}};

aggregate aggregate_of(const std::string& word) {
    constexpr std::pair<const char*, aggregate> all[] = {
        {"sum", aggregate::sum},          {"mean", aggregate::mean},     {"min", aggregate::min},
        {"max", aggregate::max},          {"count", aggregate::count},   {"first", aggregate::first},
        {"last", aggregate::last},        {"median", aggregate::median}, {"stdev", aggregate::stdev},
        {"distinct", aggregate::distinct}};
    for (const auto& [name, a] : all)
        if (EQUAL(word.c_str(), name)) return a;
    throw error{GDALMCP_INVALID_ARGUMENT, "'aggregate' asks for '" + word + "', which is no statistic here",
                "use sum, mean, min, max, count, first, last, median, stdev or distinct"};
}

std::vector<wanted_aggregate> wanted_of(gdalmcp::call& call) {
    std::vector<wanted_aggregate> all;
    const auto given = call[wanted];
    if (!given) return all;
    CPLJSONDocument document;
    if (!document.LoadMemory(given->text)) throw error{GDALMCP_INVALID_ARGUMENT, "'aggregate' is not JSON", {}};
    for (const auto& one : document.GetRoot().GetChildren()) {
        if (one.GetType() == CPLJSONObject::Type::Array) {
            const auto words = one.ToArray();
            for (int i = 0; i < words.Size(); ++i)
                all.push_back({one.GetName(), aggregate_of(words[i].ToString()), words[i].ToString()});
        } else {
            all.push_back({one.GetName(), aggregate_of(one.ToString()), one.ToString()});
        }
    }
    return all;
}

// Beside the sum of another field it is of fewer features.
void warn_of_nulls_in_a_sum(gdalmcp::call& call, OGRLayer& layer, const held_layer& held, const std::string& field) {
    const int at = fields_named(layer, {field}).front();
    const auto nulls = std::count_if(held.features.begin(), held.features.end(),
                                     [&](const auto& f) { return !f->IsFieldSetAndNotNull(at); });
    if (nulls > 0 && static_cast<std::size_t>(nulls) < held.size())
        call.warn("'" + field + "' is null in " + std::to_string(nulls) + " of " + std::to_string(held.size()) +
                  " features, which its sums leave out");
}

// Warns of marks in the fields whose numbers are computed with, and of directions that are summed or averaged.
void tell_marks(gdalmcp::call& call, OGRLayer& layer, const held_layer& held,
                const std::vector<wanted_aggregate>& wanted) {
    std::vector<int> fields;
    for (const auto& w : wanted)
        if (w.statistic != aggregate::count && w.statistic != aggregate::distinct && w.statistic != aggregate::first &&
            w.statistic != aggregate::last)
            fields.push_back(fields_named(layer, {w.field}).front());
    marked_fields marks{layer, fields};
    for (const auto& f : held.features) marks.see(*f);
    marks.tell(call, marks_left_out::before);
    std::map<std::string, std::vector<std::string>> plain;  // by field
    for (const auto& w : wanted)
        if (w.statistic == aggregate::sum || w.statistic == aggregate::mean || w.statistic == aggregate::median ||
            w.statistic == aggregate::stdev)
            plain[w.field].push_back(w.word);
    for (const auto& w : wanted) {
        if (w.statistic == aggregate::sum) warn_of_sum_of_rates(call, w.field);
        if (w.statistic == aggregate::sum) warn_of_nulls_in_a_sum(call, layer, held, w.field);
        if (w.statistic == aggregate::mean) warn_of_mean_of_shares(call, w.field);
    }
    for (const auto& [field, statistics] : plain) {
        marked_fields of_one{layer, fields_named(layer, {field})};
        for (const auto& f : held.features) of_one.see(*f);
        of_one.tell_directions(call, any_of_them(statistics));
    }
}

struct group {
    std::vector<std::size_t> members;
    geos::shape shape{};
    double after = 0, before = 0;  // m², m or points
    bool coverage = false;
};

std::vector<group> grouped(const held_layer& layer, const std::vector<int>& fields) {
    std::vector<group> all;
    std::unordered_map<std::string, std::size_t> known;
    for (std::size_t i = 0; i < layer.size(); ++i) {
        const auto [at, fresh] = known.try_emplace(group_key(*layer.features[i], fields), all.size());
        if (fresh) all.push_back({{}});
        all[at->second].members.push_back(i);
    }
    return all;
}

// What one worker measures with; nothing without a CRS.
struct measuring {
    std::optional<surface> areas;
    std::optional<ground> lengths;
};

void unite(group& g, const held_layer& layer, int dimension, measuring& with) {
    std::vector<const GEOSGeometry*> parts;
    for (const auto i : g.members)
        if (layer.shapes[i]) parts.push_back(layer.shapes[i].get());
    if (parts.empty()) return;
    const auto size = [&](const GEOSGeometry& s) {
        if (dimension == 0) return static_cast<double>(GEOSGetNumGeometries_r(geos::handle(), &s));
        if (dimension == 1) return with.lengths ? with.lengths->measure(*to_ogr(s)).length.value_or(0) : 0;
        return with.areas ? with.areas->area(s) : 0;
    };
    for (const auto* p : parts) g.before += size(*p);
    if (parts.size() == 1) {
        g.shape = geos::owned(GEOSGeom_clone_r(geos::handle(), parts.front()));
    } else {
        if (dimension == 2) g.shape = disjoint_union(parts);
        g.coverage = g.shape != nullptr;
        if (!g.shape) g.shape = geos::owned(GEOSUnaryUnion_r(geos::handle(), geos::collected(parts).get()));
        if (dimension == 1) g.shape = geos::owned(GEOSLineMerge_r(geos::handle(), g.shape.get()));
    }
    g.after = size(*g.shape);
}

void unite_all(gdalmcp::call& call, std::vector<group>& all, const held_layer& layer, int dimension,
               const OGRSpatialReference& crs) {
    const auto workers = gdalmcp::gdal::threads_of_call();
    std::vector<measuring> with(workers);
    for (auto& m : with)
        if (!crs.IsEmpty() && dimension > 0) {
            m.areas.emplace(crs);
            m.lengths.emplace(crs);
        }
    gdalmcp::crew crew{workers};
    for (std::size_t i = 0; i < all.size(); ++i) {
        crew.run([&, i](std::size_t worker) {
            const auto fail = [&](const std::string& why) {
                throw error{GDALMCP_INVALID_ARGUMENT,
                            "the group of feature " + std::to_string(layer.features[all[i].members.front()]->GetFID()) +
                                " cannot be united: " + why,
                            "check its features with vector_measure, or leave some out with vector_query"};
            };
            try {
                unite(all[i], layer, dimension, with[worker]);
            } catch (const geos::failure& e) {
                fail(e.what());
            } catch (const unusable& e) {
                fail(e.why);
            }
        });
        if (i % 64 == 0) call.progress(0.2 + 0.6 * static_cast<double>(i) / static_cast<double>(all.size()), "uniting");
    }
    crew.wait();
}

layer_design design_of(const source_layer& from, const held_layer& held, int dimension, const std::vector<int>& fields,
                       const aggregates& values, const std::vector<group>& all) {
    constexpr OGRwkbGeometryType kinds[] = {wkbPoint, wkbLineString, wkbPolygon};
    const bool collections = std::any_of(all.begin(), all.end(), [](const group& g) {
        return g.shape && GEOSGeomTypeId_r(geos::handle(), g.shape.get()) == GEOS_GEOMETRYCOLLECTION;
    });
    layer_design design{from.layer->GetGeomType() == wkbNone ? wkbNone : kinds[dimension],
                        from.layer->GetGeomType() != wkbNone, nullptr, fields};
    if (design.type != wkbNone && held.without_geometry == static_cast<GIntBig>(held.size())) design.multi = false;
    if (collections) design.type = wkbUnknown, design.multi = false;
    design.joined = {from.dataset.get(), &values.definition(), all_fields(values.definition()), "_2"};
    design.added = {{"features", OFTInteger64}};
    design.new_ids = true;
    return design;
}

std::string key_text(const OGRFeature& f, const std::vector<int>& fields) {
    std::string text;
    for (const int i : fields)
        text +=
            (i == fields.front() ? "" : ", ") + std::string{f.IsFieldSetAndNotNull(i) ? f.GetFieldAsString(i) : "null"};
    return text;
}

struct totals {
    double after = 0, before = 0;
    double lost = 0, doubtful = 0;  // of groups not proven free of overlaps: what they lost, of how much
    std::int64_t nulls = 0, coverages = 0, several = 0;
};

totals write_all(gdalmcp::call& call, layer_pass& pass, std::vector<group>& all, const held_layer& held,
                 const std::vector<int>& fields, const aggregates& values, bool measured) {
    totals sum;
    call.begin(first_groups);
    for (std::size_t i = 0; i < all.size(); ++i) {
        auto& g = all[i];
        const auto& first = *held.features[g.members.front()];
        sum.after += g.after, sum.before += g.before;
        sum.coverages += g.coverage;
        if (!g.coverage) sum.lost += g.before - g.after, sum.doubtful += g.before;
        sum.several += g.members.size() > 1;
        for (const int f : fields)
            if (!first.IsFieldSetAndNotNull(f)) {
                ++sum.nulls;
                break;
            }
        if (i < max_rows) {
            auto row = call.add(first_groups);
            row.put(key, key_text(first, fields));
            row.put(members, static_cast<std::int64_t>(g.members.size()));
            if (measured) row.put(area_m2, g.after);
        }
        const auto statistics = values.of(held.features, g.members);
        pass.attempt(first, [&] {
            pass.add(first, g.shape ? to_ogr(*g.shape) : nullptr, {static_cast<double>(g.members.size())},
                     statistics.get());
        });
        g.shape = nullptr;
    }
    return sum;
}

void put_measures(gdalmcp::call& call, const totals& sum, int dimension) {
    constexpr double tolerance = 1e-6;
    const bool overlaps = sum.lost > tolerance * sum.doubtful;
    if (dimension == 1) call.put(length_m, sum.after);
    if (dimension == 1 && overlaps)
        call.warn("lines of one group lie on each other, where they count once: " +
                  gdal::number_text(std::round(sum.before)) + " m before, " + gdal::number_text(std::round(sum.after)) +
                  " m after");
    if (dimension == 0 && overlaps)
        call.warn("points of one group lie on each other, where one is left: " + gdal::number_text(sum.before) +
                  " before, " + gdal::number_text(sum.after) + " after");
    if (dimension != 2) return;
    call.put(area_m2, sum.after);
    call.put(area_ha, sum.after / 1e4);
    call.put(area_before, sum.before);
    call.put(overlap, overlaps ? sum.lost : 0);
    if (overlaps)
        call.warn("features of one group overlap: " + gdal::number_text(std::round(sum.lost)) +
                  " m² were in more than one of them, so sums of areas before count them repeatedly");
}

void run(gdalmcp::call& call) {
    auto from = open_layer(call);
    refuse_mixed_turns(from, nullptr, false);
    const auto fields = fields_named(*from.layer, call[by].value_or(std::vector<std::string>{}));
    const auto asked = wanted_of(call);
    const aggregates values{*from.layer, asked};
    const bool geometries = from.layer->GetGeomType() != wkbNone;
    const auto choice = call[repair] ? invalid_choice::repair : invalid_choice::keep;
    const auto held = hold(*from.layer, nullptr, geometries, choice, call[skip_failed], call.part(0.0, 0.2, "reading"));
    if (choice == invalid_choice::keep) refuse_invalid(held, "uri");
    const int dimension = dimension_of(held, "uri");
    auto all = grouped(held, fields);
    if (geometries) unite_all(call, all, held, dimension, from.crs);
    layer_pass pass{call, from, design_of(from, held, dimension, fields, values, all)};
    pass.already_left_out(held.failed);
    const bool measured = geometries && !from.crs.IsEmpty();
    const auto sum = write_all(call, pass, all, held, fields, values, measured && dimension == 2);
    pass.finish(call);

    call.put(method, !geometries
                         ? std::string{"a table: attributes only"}
                         : "united by GEOS in " +
                               (from.crs.IsEmpty() ? "a layer without CRS" : gdal::crs_label(from.crs)) + "; " +
                               std::to_string(sum.coverages) + " of " + std::to_string(sum.several) +
                               " groups of several features proven free of overlaps and joined along common edges");
    call.put(groups, static_cast<std::int64_t>(all.size()));
    call.put(features_read, static_cast<std::int64_t>(held.size()));
    call.put(null_groups, sum.nulls);
    call.put(repaired_count, static_cast<std::int64_t>(held.invalid.size()));
    call.put(without_geometry, held.without_geometry);
    if (measured) put_measures(call, sum, dimension);
    if (geometries && !measured) call.warn("the layer has no CRS: areas and lengths are not known");
    if (sum.nulls > 0)
        call.warn(std::to_string(sum.nulls) + " of the groups have null in 'by', which counts as a value");
    tell_marks(call, *from.layer, held, asked);
    if (const auto n = values.infinite(held.features); n > 0)
        call.warn(counted(n) + " with infinite values in the fields of 'aggregate', which count as null there");
    held.wide.tell(call, "the features");
    warn_of_repaired(call, {&held});
    warn_of_flattened(call, {&held});
    constexpr std::size_t megabyte = 1'000'000;
    call.say(counted(static_cast<GIntBig>(held.size())) + " in " + std::to_string(all.size()) +
             " groups; the layer held in memory, about " + std::to_string(held.size_bytes() / megabyte + 1) + " MB");
}

}  // namespace

const gdalmcp::tool tool{
    {.name = "vector_dissolve",
     .title = "Dissolve features into groups",
     .about =
         "Unites the features of each group into one, with statistics of their fields. True areas before and after "
         "tell what overlapped.",
     .behaviour = GDALMCP_DESTRUCTIVE | GDALMCP_IDEMPOTENT},
    run,
    {uri, by, wanted, repair, only_layer_name, skip_failed, output, overwrite},
    {method, groups, features_written, features_read, null_groups, area_m2, area_ha, area_before, overlap, length_m,
     repaired_count, without_geometry, first_groups, layer_crs.all, failed_ids, failed_count}};

}  // namespace gdalmcp_vector::vector_dissolve
