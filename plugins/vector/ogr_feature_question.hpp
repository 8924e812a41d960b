// Which features of a layer a call selects, by 'where', 'geometry' and 'predicate'. Used by vector_query and by
// vector_profile, which counts them before.
#pragma once
#include "ogr_layer_pass.hpp"
#include "ogr_repair.hpp"
#include "ogr_selection.hpp"

namespace gdalmcp_vector {

inline const gdalmcp::arg<std::optional<std::string>> where{
    .name = "where", .about = "Condition in OGR SQL, text in single quotes.", .examples = {"\"pop > 1000\""}};
inline const gdalmcp::arg<std::optional<std::vector<std::string>>> attributes{
    .name = "attributes", .about = "Fields to keep, in this order; [] for none. Default: all."};
inline const gdalmcp::arg<gdalmcp::choice> relation{
    .name = "predicate",
    .about = "By true geometry; intersects includes touching.",
    .fallback = gdalmcp::choice{"intersects"},
    .values = {"intersects", "within", "contains"},
    .synonyms = {{"intersect", "intersects"}, {"contain", "contains"}, {"inside", "within"}}};
inline const gdalmcp::arg<bool> clip{
    .name = "clip", .about = "Cut features at the edge of 'geometry'.", .fallback = false};

struct match_tally {
    GIntBig matched = 0, cut = 0, clipped_away = 0, without_geometry = 0, invalid = 0, collapsed = 0, curves = 0;
    taken_ordinates taken;
    std::vector<invalid_feature> first_invalid;
    // What is left after each filter, in the order in which they are applied.
    GIntBig in_box = 0, meet_condition = 0, meet_geometry = 0;
};

struct feature_question {
    std::optional<gdalmcp::gdal::placed_geometry> area;
    std::optional<spatial_filter> near;
    std::optional<attribute_filter> condition;
    bool clip = false;

    // Sets a spatial filter on a layer with an index. Fails the call on arguments that do not fit the layer.
    feature_question(gdalmcp::call&, const source_layer& from);

    // The geometry a matching feature has in the result (nullptr: none), or nullopt if the feature does not match.
    std::optional<std::unique_ptr<OGRGeometry>> match(OGRFeature& feature, match_tally& count) const;

    // What each filter left, for a selection of which nothing is left: "177 features in the layer, 12 of
    // them in the box of 'geometry', 0 of them match 'where'". `all`: features of the layer.
    std::string what_was_left(const match_tally&, GIntBig all) const;

private:
    std::string relation_;
    std::optional<clip_area> scissors_;
};

// Throws, naming both extents in both CRSs, where the box of no feature meets that of the geometry. REQUIRES: `count`
// is of the whole layer.
void refuse_apart(const feature_question&, const match_tally& count, const source_layer& from);

}  // namespace gdalmcp_vector
