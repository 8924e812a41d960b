// Comparisons of a condition that GDAL's evaluator gets wrong: it compares dates and times as texts, whatever their
// offsets from UTC, and takes a byte for the one letter that _ stands for.
#pragma once
#include <ogr_feature.h>
#include <ogr_swq.h>

#include <functional>
#include <optional>

namespace gdalmcp_vector {

// Whether a comparison holds for a feature; nullopt where a value is null. Empty: GDAL's own is right.
using own_test = std::function<std::optional<bool>(const OGRFeature&)>;

// The test of =, <, >, <=, >= between a field of dates or times and another or a text, of IN with such texts, and of
// LIKE with _. Two moments that both state an offset from UTC are compared as instants, others as written. Throws
// where such a field is compared with a text that is no date.
own_test own_test_of(const swq_expr_node& comparison, const OGRFeatureDefn& defn);

}  // namespace gdalmcp_vector
