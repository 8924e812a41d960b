// Every schema inside a JSON Schema.
#pragma once
#include <functional>
#include <string>

#include "base/json.hpp"

namespace gdalmcp::catalog {

namespace json = boost::json;

// Calls `visit` with `root` and every schema below it (properties, items, additionalProperties, anyOf, oneOf, allOf)
// and its JSON Pointer, which begins with `at`.
void for_each_subschema(const json::value& root, const std::string& at,
                        const std::function<void(const json::value& schema, const std::string& at)>& visit);

}  // namespace gdalmcp::catalog
