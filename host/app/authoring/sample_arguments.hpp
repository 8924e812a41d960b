// Arguments for trial calls of a tool, made from its input schema: usual ones, and odd ones that the schema admits.
#pragma once
#include <vector>

#include "app/authoring/sample_files.hpp"
#include "base/json.hpp"

namespace gdalmcp::app {

namespace json = boost::json;

// Plausible calls, the smallest first: the required arguments by default, enum, example, range or role (a dataset is
// one of `d`), then the same with one optional argument more, then with the other datasets.
std::vector<json::object> usual_arguments(const json::value& input_schema, const sample_datasets& d);

// `usual` with one argument at a time replaced by an edge case: every other enum value, ends of ranges, empty and very
// long texts, text with NUL and beyond ASCII, "NaN", empty lists, geometries without area or with infinite coordinates,
// the other datasets of `d` and the odd ones of sample_files. Not every one satisfies the schema.
std::vector<json::object> odd_arguments(const json::value& input_schema, const json::object& usual,
                                        const sample_datasets& d);

}  // namespace gdalmcp::app
