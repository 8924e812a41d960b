// Which features of a layer a call selects, by 'where', 'geometry' and 'predicate'. Used by vector_query and by
// vector_profile, which counts them before.
#pragma once
#include "ogr_layer_pass.hpp"
#include "ogr_selection.hpp"

namespace gdalmcp_vector {

inline const gdalmcp::arg<std::optional<std::string>> where{
    .name = "where", .about = "Condition in OGR SQL, text in single quotes.", .examples = {"\"pop > 1000\""}};
inline const gdalmcp::arg<std::optional<std::vector<std::string>>> attributes{
    .name = "attributes", .about = "Fields to keep, in this order; [] keeps the geometry alone. Default: all."};
inline const gdalmcp::arg<gdalmcp::choice> relation{
    .name = "predicate",
    .about = "By true geometry; intersects includes touching.",
    .fallback = gdalmcp::choice{"intersects"},
    .values = {"intersects", "within", "contains"},
    .synonyms = {{"intersect", "intersects"}, {"contain", "contains"}, {"inside", "within"}}};
inline const gdalmcp::arg<bool> clip{
    .name = "clip", .about = "Cut features at the edge of 'geometry'.", .fallback = false};

struct match_tally {
    GIntBig matched = 0, clipped_away = 0, without_geometry = 0, invalid = 0;
    std::vector<invalid_feature> first_invalid;
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
};

}  // namespace gdalmcp_vector
