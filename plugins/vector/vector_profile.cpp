// vector_profile: what a selection of features rests on, before it is made.
#include <gdalmcp/evidence.hpp>

#include "evidence_tools.hpp"
#include "ogr_feature_question.hpp"
#include "ogr_total_row.hpp"

namespace gdalmcp_vector::vector_profile {
namespace {

using gdalmcp::field;
namespace evidence = gdalmcp::evidence;

constexpr GIntBig most_read = 200'000;  // features

const field<std::int64_t> features{"features", "Features of the layer", "features"};
const field<std::int64_t> matched{"matched", "Of those read, selected", "features"};
const auto reach_beyond =
    field<std::int64_t>{"reach_beyond", "Of these, not wholly inside the geometry", "features"}.optional();
const auto beyond_share = field<double>{"beyond_share", "Their share", "0 to 1"}.optional();
const field<std::int64_t> invalid{"invalid", "Selected features with an invalid geometry", "features"};

struct count {
    match_tally tally;
    GIntBig read = 0, matched = 0, beyond = 0;
};

count count_matches(gdalmcp::call& call, OGRLayer& layer, const feature_question& q, total_row& total) {
    std::optional<spatial_filter> inside;
    if (q.area) inside.emplace(*q.area->shape, predicate::within);
    count found;
    const progress at = [&](double share) { call.progress(share, "counting"); };
    left_out damaged;
    for_each_readable_feature(
        layer, at,
        [&](OGRFeature& feature) {
            if (found.read == most_read) return false;
            ++found.read;
            const auto kept = q.match(feature, found.tally);
            total.see(feature, kept.has_value());
            if (!kept) return true;
            ++found.matched;
            const auto* own = feature.GetGeometryRef();
            if (!inside || !own || own->IsEmpty()) return true;
            const bool valid = gdalmcp::gdal::invalid_reason(*own).empty();
            const auto repaired = valid ? nullptr : gdalmcp::gdal::valid_form(*own);
            found.beyond += !inside->accepts(repaired ? *repaired : *own);
            return true;
        },
        damaged);
    return found;
}

void run(gdalmcp::call& call) {
    total_row total;
    auto from = open_layer(call, call[src_crs]);
    total.opened();
    const feature_question q{call, from};
    if (const auto names = call[attributes]) fields_named(*from.layer, *names);
    const auto found = count_matches(call, *from.layer, q, total);
    total.tell(call);
    // Of the layer, not of what its spatial index leaves to read.
    from.layer->SetSpatialFilter(nullptr);
    const auto all = std::max<GIntBig>(0, feature_count(*from.layer));
    call.put(features, all);
    call.put(matched, found.matched);
    call.put(invalid, found.tally.invalid);
    std::string beyond;
    if (q.area && found.matched > 0) {
        const double share = static_cast<double>(found.beyond) / static_cast<double>(found.matched);
        call.put(reach_beyond, found.beyond);
        call.put(beyond_share, evidence::figure(share));
        beyond = std::to_string(found.beyond) + " of them (" + evidence::percent(share) + ") reach beyond the geometry";
    }
    const auto read = std::to_string(found.read) + " features";
    const bool complete = found.read < most_read;
    const auto sampled = evidence::put_read(call, complete, read, "the first " + read);
    const auto looked_at = complete ? std::to_string(all) : "the first " + std::to_string(found.read);
    evidence::conclude(
        call,
        {sampled, std::to_string(found.matched) + " of " + looked_at + " features match", beyond,
         found.tally.invalid > 0 ? std::to_string(found.tally.invalid) + " are invalid, compared repaired" : ""},
        "Each feature's true geometry against the one given (GEOS)");
}

}  // namespace

const gdalmcp::tool tool{
    {.name = "vector_profile",
     .title = "What a selection holds",
     .about =
         "Features that vector_query would select: how many match, and how many of these reach beyond the geometry. "
         "Takes its arguments; nothing is written. At most 200000 features are read.",
     .behaviour = GDALMCP_READ_ONLY | GDALMCP_IDEMPOTENT},
    run,
    {uri, gdalmcp::standard::geometry, gdalmcp::standard::geometry_crs, relation, where, attributes, clip,
     only_layer_name, src_crs},
    {evidence::summary, evidence::source, evidence::approximate, evidence::read, features, matched, reach_beyond,
     beyond_share, invalid}};

}  // namespace gdalmcp_vector::vector_profile
