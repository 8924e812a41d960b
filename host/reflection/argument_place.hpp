// Where a JSON Pointer into a tool's arguments leads in their schema.
#pragma once
#include <functional>
#include <string_view>

#include "base/json.hpp"

namespace gdalmcp::reflection {

namespace json = boost::json;

// The schema of a tool's arguments; nullptr: there is no such tool.
using argument_schemas = std::function<const json::value*(std::string_view tool)>;

struct argument_place {
    bool possible = true;                 // a call may have a value there
    bool always = true;                   // every call has one: required, or with a default
    const json::value* schema = nullptr;  // nullptr: not known
};

argument_place find_argument(const json::value& schema, std::string_view pointer);

}  // namespace gdalmcp::reflection
