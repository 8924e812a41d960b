// A violation of a schema in words that a caller can act on.
#pragma once
#include <string>
#include <string_view>

#include "base/json.hpp"

namespace gdalmcp::base {

struct misfit {
    const json::value& schema;
    std::string at;               // JSON Pointer into the instance to the value that does not match
    const json::value* violated;  // the subschema it violates; nullptr: the one that `schema` has for `at`
    std::string base = {};        // where the instance is, if it is part of another
};

// The alternative that an object at `at` can be meant for: the only one that names its members; nullptr: none, or
// several.
const json::value* object_alternative(const json::value& schema, std::string_view at);

// As schema::check reports it; `otherwise` is the message when schema or instance have nothing there.
problem mismatch(const misfit&, const json::value& instance, std::string_view whole, const std::string& otherwise);

}  // namespace gdalmcp::base
