// Where a JSON Pointer into a tool's arguments or results leads in their schema.
#pragma once
#include <functional>
#include <string_view>

#include "base/json.hpp"

namespace gdalmcp::reflection {

namespace json = boost::json;

// The schema of a tool's arguments; nullptr: there is no such tool.
using argument_schemas = std::function<const json::value*(std::string_view tool)>;

struct schema_place {
    bool possible = true;                 // there may be a value
    bool always = true;                   // there is one: required, or with a default
    const json::value* schema = nullptr;  // nullptr: not known
};

schema_place find_place(const json::value& schema, std::string_view pointer);

}  // namespace gdalmcp::reflection
