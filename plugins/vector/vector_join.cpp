// vector_join: attributes of one layer to the features of another, by place or by key.
#include <gdalmcp/crew.hpp>
#include <gdalmcp/gdal_table_values.hpp>

#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "likeness.hpp"
#include "ogr_joined_rows.hpp"
#include "ogr_layer_pass.hpp"
#include "ogr_pairing.hpp"
#include "ogr_selection.hpp"
#include "ogr_whole_layers.hpp"
#include "ogr_whole_values.hpp"
#include "tools.hpp"

namespace gdalmcp_vector::vector_join {

namespace {

using gdalmcp::arg;
using gdalmcp::error;
using gdalmcp::field;
namespace gdal = gdalmcp::gdal;

const arg<gdalmcp::vector> target_uri{.name = "target", .about = "Layer to extend: path or URI."};
const arg<gdalmcp::vector> join_uri{.name = "join", .about = "Layer or table with the fields; held in memory."};
const arg<std::optional<gdalmcp::choice>> relation{
    .name = "predicate",
    .about = "Target to join feature; intersects includes touching. Or give keys.",
    .values = {"intersects", "within", "contains", "nearest", "largest_overlap"},
    .synonyms = {{"intersect", "intersects"}, {"inside", "within"}, {"closest", "nearest"}, {"contain", "contains"}}};
const arg<std::optional<gdalmcp::json_text>> keys{.name = "keys",
                                                  .about = "Equal values: {\"target field\": \"join field\"}."};
const arg<gdalmcp::choice> compare{
    .name = "compare",
    .about = "Of keys: number: \"001\" = 1; text: not; typed refuses text beside numbers.",
    .fallback = gdalmcp::choice{"typed"},
    .values = {"typed", "number", "text"}};
const arg<gdalmcp::choice> how{.name = "how",
                               .about = "inner drops unmatched targets.",
                               .fallback = gdalmcp::choice{"left"},
                               .values = {"left", "inner"}};
const arg<gdalmcp::choice> cardinality{.name = "cardinality",
                                       .about = "many: a row per match; one: refuses several.",
                                       .fallback = gdalmcp::choice{"many"},
                                       .values = {"one", "many"}};
const arg<std::optional<std::vector<std::string>>> added_fields{.name = "fields",
                                                                .about = "Join fields to add. Default: all."};
const arg<std::optional<std::int64_t>> nearest_count{
    .name = "k", .about = "nearest: how many. Default: 1.", .min = 1, .max = 1000};
const arg<std::optional<double>> max_distance{
    .name = "max_distance", .about = "nearest: none farther.", .unit = "m", .min = 0};
const arg<std::optional<std::string>> target_layer{.name = "target_layer", .about = "Default: the only one."};
const arg<std::optional<std::string>> join_layer{.name = "join_layer", .about = "Default: the only one."};

const field<std::string> method{"method", "Relation, CRS, units"};
const field<std::int64_t> matched{"matched", "Targets with a match"};
const field<std::int64_t> unmatched{"unmatched", "Targets without one"};
const field<std::int64_t> multiplied{"multiplied", "Targets with several"};
const field<std::int64_t> unused{"unused", "Join features without a target"};
const auto tied = field<std::int64_t>{"tied", "Targets with an equal choice", "features"}.optional();
const field<std::int64_t> invalid_count{"invalid_count", "Compared repaired", "features"};
const field<std::int64_t> without_geometry{"without_geometry", "Never match by place", "features"};
const field<std::vector<std::string>> names{"fields", "Added, as called in the output"};
const field<std::int64_t> id{"id", "Target FID"};
const auto key_text = field<std::string>{"key", "Its values"}.optional();
const auto near_keys = field<std::vector<std::string>>{"near", "Unused join keys like it"}.optional();
const gdalmcp::table missing{"unmatched_first", "20 of them, those with near keys first", {id, key_text, near_keys}};
const field<std::int64_t> times{"matches", "Of this target", "features"};
const gdalmcp::table repeated{"multiplied_first", "The first 10", {id, times}};

std::vector<std::pair<std::string, std::string>> key_pairs(const std::string& json) {
    std::vector<std::pair<std::string, std::string>> pairs;
    CPLJSONDocument document;
    if (document.LoadMemory(json))
        for (const auto& one : document.GetRoot().GetChildren())
            if (one.GetType() == CPLJSONObject::Type::String) pairs.emplace_back(one.GetName(), one.ToString());
    if (pairs.empty() || pairs.size() != document.GetRoot().GetChildren().size())
        throw error{GDALMCP_INVALID_ARGUMENT, "'keys' is " + json + ", which names no pairs of fields",
                    "give {\"target field\": \"join field\"}"};
    return pairs;
}

struct both_layers {
    source_layer target, join;
    std::string by;  // predicate; "": keys
    bool one = false;
    bool by_join = false;  // compared in the CRS of the join layer, else in the target's
    const OGRSpatialReference& crs() const { return by_join ? join.crs : target.crs; }
};

void check_arguments(gdalmcp::call& call, const both_layers& l) {
    const bool nearest = l.by == "nearest";
    if (!nearest && (call[nearest_count] || call[max_distance]))
        throw error{GDALMCP_INVALID_ARGUMENT, "'k' and 'max_distance' belong to predicate nearest",
                    "leave them out, or use predicate: \"nearest\""};
    if (l.one && nearest && call[nearest_count].value_or(1) > 1)
        throw error{GDALMCP_INVALID_ARGUMENT,
                    "'k' is " + std::to_string(*call[nearest_count]) + ", but cardinality one",
                    "use cardinality: \"many\", or k: 1"};
    if (l.by.empty()) return;
    for (const auto* side : {&l.target, &l.join})
        require_geometries(*side, "join by 'keys', or make points of its coordinates with vector_convert");
    if (l.target.crs.IsEmpty() && l.join.crs.IsEmpty() && !nearest && l.by != "largest_overlap") {
        call.warn("neither layer has a CRS: their coordinates are taken to be in the same one");
        return;
    }
    for (const auto* side : {&l.target, &l.join})
        if (side->crs.IsEmpty())
            throw error{GDALMCP_INVALID_ARGUMENT,
                        "layer '" + std::string{side->layer->GetName()} + "' (" +
                            (side == &l.target ? "target" : "join") + ") has no CRS" +
                            (side == &l.target || l.target.crs.IsEmpty()
                                 ? std::string{}
                                 : ", the target is in " + gdal::crs_label(l.target.crs)),
                        "state it with vector_convert and its 'crs'"};
}

both_layers open_both(gdalmcp::call& call) {
    both_layers l{open_layer_of(call, target_uri, target_layer), open_layer_of(call, join_uri, join_layer), {}};
    const auto wanted = call[relation];
    if (wanted.has_value() == call[keys].has_value())
        throw error{GDALMCP_INVALID_ARGUMENT,
                    wanted ? "both 'predicate' and 'keys' are given" : "neither 'predicate' nor 'keys' is given",
                    "join by place with predicate: \"within\" and the like, or by values with keys: {\"target "
                    "field\": \"join field\"}"};
    if (wanted) l.by = wanted->value;
    l.one = call[cardinality].value == "one";
    check_arguments(call, l);
    return l;
}

std::unique_ptr<pairing> make_pairing(gdalmcp::call& call, const both_layers& l, const held_layer& held,
                                      std::size_t workers) {
    if (l.by.empty()) {
        const auto word = call[compare].value;
        const auto type = word == "text" ? key_type::text : word == "number" ? key_type::number : key_type::as_stored;
        return pair_by_key(key_fields{*l.target.layer, *l.join.layer, key_pairs(call[keys]->text), type}, held);
    }
    if (l.by == "nearest")
        return pair_by_distance(held, l.crs(), static_cast<std::size_t>(call[nearest_count].value_or(1)),
                                call[max_distance].value_or(std::numeric_limits<double>::infinity()), workers);
    if (l.by == "largest_overlap") return pair_by_overlap(held, l.crs(), workers);
    return pair_by_relation(held, predicate_of(l.by), l.by, workers);
}

// From the CRS of the targets to that of the join layer, one for each worker; none where they are compared in their
// own.
using ways = std::vector<std::unique_ptr<transformation>>;

void move(row& r, transformation& by) {
    const auto* own = r.feature->GetGeometryRef();
    if (!own || own->IsEmpty()) return;
    r.elsewhere = by.apply_by_edges(*own);
    if (!r.elsewhere) throw unusable{"it has no place, or not all of it, in the CRS of the join layer"};
}

// Targets are read by this thread; the workers find the partners of those read before, and one more thread writes those
// done, all in the order of the layer.
void join_all(gdalmcp::call& call, layer_pass& pass, pairing& pairs, const ways& targets, gdal::wide_edges& wide,
              joined_rows& out) {
    static constexpr std::size_t batch_size = 4096;
    std::vector<row> reading, pairing_now, done;
    gdalmcp::crew workers{gdalmcp::gdal::threads_of_call()}, writing{1};
    const auto pair = [&](row& r, std::size_t worker) {
        try {
            if (!targets.empty()) move(r, *targets[worker]);
            pairs.pair(r, worker);
        } catch (const unusable& e) {
            r.trouble = e.why;
        } catch (const geos::failure& e) {
            r.trouble = e.what();
        }
    };
    const auto leave_out_troubled = [&] {
        for (const auto& r : done)
            if (!r.trouble.empty()) pass.leave_out(*r.feature, r.trouble);
    };
    const auto turn = [&] {
        workers.wait();
        writing.wait();
        leave_out_troubled();  // on this thread, which also reads
        done = std::move(pairing_now);
        pairing_now = std::move(reading);
        reading.clear();
        // As many tasks as wait without keeping this thread from reading.
        const std::size_t portion = pairing_now.size() / (2 * workers.size()) + 1;
        for (std::size_t begin = 0; begin < pairing_now.size(); begin += portion)
            workers.run([&pairing_now, &pair, begin, portion](std::size_t worker) {
                for (auto i = begin; i < std::min(begin + portion, pairing_now.size()); ++i)
                    pair(pairing_now[i], worker);
            });
        writing.run([&](std::size_t) {
            for (auto& r : done) try {
                    if (r.trouble.empty()) out.write(r);
                } catch (const unusable& e) {
                    r.trouble = e.why;
                }
        });
    };
    pass.run(
        call, "joining",
        [&](OGRFeature& feature) {
            std::unique_ptr<OGRGeometry> geometry{feature.StealGeometry()};
            if (geometry) wide.see(*geometry, feature.GetFID());
            reading.push_back({OGRFeatureUniquePtr{feature.Clone()}});
            reading.back().feature->SetGeometryDirectly(geometry.release());
            if (reading.size() == batch_size) turn();
            return true;
        },
        0.9);
    turn();
    turn();
    writing.wait();
    leave_out_troubled();
    call.progress(0.95, "joining");
}

// Unused join keys by the unmatched target they may mean. One that is spelled as a target but for case, marks and
// spaces is of that target alone.
class near_names {
public:
    near_names(const joined_rows::tally& count, const std::vector<std::string>& candidates) {
        std::set<std::string> wanted;
        for (const auto& [fid, text] : count.first_unmatched) wanted.insert(folded(text));
        for (const auto& c : candidates)
            if (const auto name = folded(c); wanted.count(name))
                same_[name].push_back(c);
            else
                others_.push_back(c);
    }
    std::vector<std::string> of(const std::string& target) const {
        constexpr std::size_t most = 3;
        const auto found = same_.find(folded(target));
        if (found == same_.end()) return most_alike(target, others_, most);
        const auto& all = found->second;
        return {all.begin(), all.begin() + static_cast<std::ptrdiff_t>(std::min(most, all.size()))};
    }

private:
    std::map<std::string, std::vector<std::string>> same_;
    std::vector<std::string> others_;
};

// Those with near keys tell more than the first ones of the layer. Returns how many have any.
std::ptrdiff_t put_unmatched(gdalmcp::call& call, const joined_rows::tally& count,
                             const std::vector<std::string>& candidates, bool keyed) {
    constexpr std::size_t listed = 20, comparisons = 200'000;  // of texts, a microsecond or more each
    const auto compared = std::min(count.first_unmatched.size(),
                                   std::max(listed, comparisons / std::max<std::size_t>(1, candidates.size())));
    std::vector<std::pair<std::size_t, std::vector<std::string>>> rows;
    const near_names near_ones{count, keyed ? candidates : std::vector<std::string>{}};
    for (std::size_t i = 0; i < compared; ++i) rows.emplace_back(i, near_ones.of(count.first_unmatched[i].second));
    const auto near = std::stable_partition(rows.begin(), rows.end(), [](const auto& r) { return !r.second.empty(); });
    call.begin(missing);
    for (std::size_t i = 0; i < std::min(listed, rows.size()); ++i) {
        const auto& [fid, text] = count.first_unmatched[rows[i].first];
        auto at = call.add(missing);
        at.put(id, fid);
        if (keyed) at.put(key_text, text);
        if (!rows[i].second.empty()) at.put(near_keys, rows[i].second);
    }
    return near - rows.begin();
}

void put_repeated(gdalmcp::call& call, const joined_rows::tally& count) {
    call.begin(repeated);
    for (const auto& [fid, n] : count.first_multiplied) {
        auto at = call.add(repeated);
        at.put(id, fid);
        at.put(times, n);
    }
}

// With cardinality one a target must not have several partners.
void refuse_several(const joined_rows::tally& count, bool keyed) {
    std::string ids;
    for (const auto& [fid, n] : count.first_multiplied)
        ids += (ids.empty() ? "" : ", ") + std::to_string(fid) + " (" + std::to_string(n) + ")";
    throw error{GDALMCP_INVALID_ARGUMENT,
                counted(count.multiplied) + " of the target " + (count.multiplied == 1 ? "has" : "have") +
                    " several matches, but cardinality is one: ids (matches) " + ids +
                    (count.multiplied > 10 ? ", …" : ""),
                keyed ? "use cardinality: \"many\" for a row each, or join by more keys"
                      : "use cardinality: \"many\" for a row each, or predicate largest_overlap or nearest"};
}

// Points in one country have its population each.
void tell_shared(gdalmcp::call& call, const joined_rows::tally& count, const OGRFeatureDefn& join,
                 const std::vector<int>& fields) {
    const auto shared = std::count(count.shared.begin(), count.shared.end(), true);
    std::vector<const OGRFieldDefn*> added;
    for (const int f : fields) added.push_back(join.GetFieldDefn(f));
    if (const auto totals = names_of_totals(added); shared > 0 && !totals.empty())
        call.warn(counted(shared) + " of the join layer " + (shared == 1 ? "matches" : "match") +
                  " several targets: the numbers (" + totals +
                  ") are in each row, and sums over the output count them repeatedly (join_fid tells them apart)");
}

void tell(gdalmcp::call& call, const joined_rows::tally& count, GIntBig invalid, bool inner) {
    if (count.multiplied > 0)
        call.warn(counted(count.multiplied) + " of the target " + (count.multiplied == 1 ? "has" : "have") +
                  " several matches, a row each: sums over the output count them repeatedly "
                  "(target_fid tells them apart)");
    if (count.tied > 0)
        call.warn(counted(count.tied) + " of the target " + (count.tied == 1 ? "has" : "have") +
                  " other join features as near or as large; of equals the first of the layer was taken");
    if (invalid > 0) call.warn(counted(invalid) + " with invalid geometries compared by their repaired form");
    if (count.unmatched > 0 && inner) call.warn(counted(count.unmatched) + " without a match are not in the output");
}

std::string why_apart(const joined_rows::tally& count, const std::vector<std::string>& candidates,
                      const both_layers& l) {
    if (!l.by.empty() && l.target.extent.IsInit() && l.join.extent.IsInit())
        return "the target covers " + extent_in_both(l.target.extent, l.target.crs, l.join.crs) + ", the join layer " +
               extent_in_both(l.join.extent, l.join.crs, l.target.crs);
    if (l.by.empty() && candidates.empty())
        return "every key of the join layer is null, or no number where numbers are compared";
    if (candidates.empty() || count.first_unmatched.empty()) return "one of the two has no geometry or no key";
    const auto& own = count.first_unmatched.front().second;
    for (const auto& other : candidates)
        if (const auto differ = unseen_difference(own, other); !differ.empty())
            return "the key '" + own + "' of the target and '" + other +
                   "' of the join layer differ in the characters " + differ +
                   ": vector_calc's replace makes them the same";
    return "keys of the target are such as '" + own + "', those of the join layer such as '" + candidates.front() + "'";
}

// In m, roughly: the greater of width and height of [west, south, east, north].
double side_of(const std::array<double, 4>& b) {
    constexpr double degree = 111'320, radians = 0.017453292519943295;
    const double width = b[2] - b[0] + (b[2] < b[0] ? 360 : 0);
    return degree * std::max(b[3] - b[1], width * std::cos((b[1] + b[3]) / 2 * radians));
}

// A layer under a wrong CRS has a nearest neighbour too. Every match is farther than 1000 km, or, of layers apart from
// each other, than the target layer is wide; not of a few km, which a layer of one street may lie from the next town.
void tell_far(gdalmcp::call& call, const joined_rows::tally& count, const both_layers& l) {
    constexpr double far = 1'000'000, near = 10'000;  // m
    const double least = count.least_measured;
    if (l.by != "nearest" || count.matched == 0 || least <= near) return;
    const auto target = gdal::wgs84_bounds(l.target.extent, l.target.crs);
    const auto join = gdal::wgs84_bounds(l.join.extent, l.join.crs);
    const bool apart = target && join && !gdal::may_meet(*target, *join) && least > side_of(*target);
    if (least <= far && !apart) return;
    call.warn("every match is " + gdal::number_text(std::round(least / 1000)) +
              " km away or farther: " + why_apart(count, {}, l) + "; check that both layers have the right CRS");
}

// What an agent must know before it says that the data hold no answer.
void tell_gaps(gdalmcp::call& call, const joined_rows::tally& count, const held_layer& held,
               const std::vector<std::string>& candidates, std::ptrdiff_t near, const std::vector<int>& fields,
               const both_layers& l) {
    if (count.matched == 0) return call.warn("nothing matches: " + why_apart(count, candidates, l));
    if (near > 0)
        call.warn("of " + counted(count.unmatched) + " without a match, " + std::to_string(near) +
                  " have keys like unused ones of the join layer ('unmatched_first'): they may be meant");
    std::vector<std::string> bare;
    for (const int f : fields) {
        bool given = false;
        for (std::size_t i = 0; i < held.size() && !given; ++i)
            given =
                count.used[i] && held.features[i]->IsFieldSetAndNotNull(f) && *held.features[i]->GetFieldAsString(f);
        if (!given) bare.emplace_back(held.features.front()->GetFieldDefnRef(f)->GetNameRef());
    }
    if (!bare.empty())
        call.warn(gdal::detail::names_of_some(bare) + " of the join layer " + (bare.size() == 1 ? "has" : "have") +
                  " no value in any matched row");
}

// The join layer in the CRS of the targets; where not all of it has a place there, in its own.
held_layer hold_join(gdalmcp::call& call, both_layers& l, transformation* moved) {
    const auto read = [&](transformation* by, bool skip) {
        return hold(*l.join.layer, by, !l.by.empty(), invalid_choice::repair, skip,
                    call.part(0.0, 0.1, "reading the join layer"));
    };
    if (!moved || moved->none()) return read(moved, call[skip_failed]);
    try {
        return read(moved, false);
    } catch (const error&) {
        l.by_join = true;
        return read(nullptr, call[skip_failed]);
    }
}

void run(gdalmcp::call& call) {
    auto l = open_both(call);
    const notice say = [&](const std::string& text) { call.warn(text); };
    const auto names_wanted = call[added_fields];
    const auto fields =
        names_wanted ? fields_named(*l.join.layer, *names_wanted) : all_fields(*l.join.layer->GetLayerDefn());
    const bool spatial = !l.by.empty();
    if (spatial) refuse_mixed_turns(l.target, &l.join, l.by == "nearest");
    std::optional<transformation> moved;
    if (spatial && !l.join.crs.IsEmpty())
        moved.emplace(l.join.crs, l.target.crs, common_area(l.target, l.join), true, say);
    const auto held = hold_join(call, l, moved ? &*moved : nullptr);
    const auto workers = gdalmcp::gdal::threads_of_call();
    const auto pairs = make_pairing(call, l, held, workers);
    const auto* keyed = pairs->keys();
    ways targets;
    for (std::size_t i = 0; l.by_join && i < workers; ++i)
        targets.push_back(std::make_unique<transformation>(l.target.crs, l.join.crs, common_area(l.join, l.target),
                                                           true, [](const std::string&) {}));

    const bool many = !l.one, inner = call[how].value == "inner";
    layer_design design{l.target.layer->GetGeomType(), wants_multi(l.target, false), nullptr,
                        all_fields(*l.target.layer->GetLayerDefn())};
    design.joined = {l.join.dataset.get(), l.join.layer->GetLayerDefn(), fields, "_join"};
    design.new_ids = many;
    if (many) design.added.push_back({"target_fid", OFTInteger64});
    design.added.push_back({"join_fid", OFTInteger64});
    for (const auto& f : pairs->fields()) design.added.push_back(f);
    layer_pass pass{call, l.target, design};
    joined_rows out{pass, held, design.added.size(), inner, many, keyed};
    auto wide = spatial ? gdal::wide_edges{l.target.crs} : gdal::wide_edges{};
    join_all(call, pass, *pairs, targets, wide, out);
    const auto& count = out.count;
    if (l.one && count.multiplied > 0) refuse_several(count, !spatial);
    pass.finish(call);

    std::string said = pairs->said();
    if (spatial && !l.target.crs.IsEmpty()) said += "; in " + gdal::crs_label(l.crs());
    if (l.by_join)
        said += ", targets transformed from " + gdal::crs_label(l.target.crs) + " (" + targets.front()->about().name +
                "): not all of the join layer has a place there";
    else if (moved && !moved->none())
        said += ", join layer transformed from " + gdal::crs_label(l.join.crs) + " (" + moved->about().name + ")";
    call.put(method, said);
    call.put(matched, count.matched);
    call.put(unmatched, count.unmatched);
    call.put(multiplied, count.multiplied);
    call.put(unused, static_cast<std::int64_t>(std::count(count.used.begin(), count.used.end(), false)));
    if (l.by == "nearest" || l.by == "largest_overlap") call.put(tied, count.tied);
    const auto invalid = count.invalid + static_cast<GIntBig>(held.invalid.size());
    call.put(invalid_count, invalid);
    call.put(without_geometry, count.bare + held.without_geometry);
    call.put(names, pass.result().joined_names());
    const auto candidates = out.unused_keys();
    const auto near = put_unmatched(call, count, candidates, keyed);
    if (const auto text = out.unused_said(candidates); !text.empty()) call.say(text);
    put_repeated(call, count);
    if (held.failed.count > 0)
        call.warn(held.failed.said(" of the join layer left out") + "; the first: " + held.failed.first_reason);
    wide.tell(call, "the features of the target");
    held.wide.tell(call, "the features of the join layer");
    tell(call, count, invalid, inner);
    tell_shared(call, count, *l.join.layer->GetLayerDefn(), fields);
    tell_far(call, count, l);
    tell_gaps(call, count, held, candidates, near, fields, l);
    call.say(std::to_string(count.matched) + " of " + counted(count.matched + count.unmatched) + " matched; " +
             counted(static_cast<GIntBig>(held.size())) + " of the join layer held in memory, about " +
             std::to_string((held.size_bytes() + pairs->index_bytes()) / 1'000'000 + 1) + " MB");
}

}  // namespace

const gdalmcp::tool tool{
    {.name = "vector_join",
     .title = "Join attributes of another layer",
     .about =
         "Adds fields of one layer to another's features, by place (nearest in true metres) or equal keys; counts and "
         "names what is unmatched or multiplied.",
     .behaviour = GDALMCP_DESTRUCTIVE | GDALMCP_IDEMPOTENT},
    run,
    {target_uri, join_uri, relation, keys, compare, how, cardinality, added_fields, nearest_count, max_distance,
     target_layer, join_layer, skip_failed, output, overwrite},
    {method, features_written, matched, unmatched, multiplied, unused, tied, invalid_count, without_geometry, names,
     missing, repeated, layer_crs.all, failed_ids, failed_count}};

}  // namespace gdalmcp_vector::vector_join
