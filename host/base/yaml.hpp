// YAML (as yaml-cpp reads it) to JSON.
#pragma once
#include <string_view>

#include "base/json.hpp"

namespace gdalmcp::base {

// Plain scalars follow the YAML 1.2 core schema (null, true/false, integers, floats); quoted scalars stay strings.
// Aliases are resolved; depth <= 64 and 100 000 nodes at most, so that a bomb of aliases is refused. Duplicate keys and
// non-scalar keys are refused. Errors name line and column.
result<json::value> parse_yaml(std::string_view text);

}  // namespace gdalmcp::base
