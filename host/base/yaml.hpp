// YAML (as yaml-cpp reads it) to JSON.
#pragma once
#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "base/json.hpp"

namespace gdalmcp::base {

// Plain scalars follow the YAML 1.2 core schema (null, true/false, integers, floats); quoted scalars stay strings.
// Aliases are resolved; depth <= 64 and 100 000 nodes at most, so that an alias bomb is refused. Duplicate keys and
// non-scalar keys are refused, and text that is not UTF-8. Errors name line and column (of text that is not UTF-8 the
// line).
result<json::value> parse_yaml(std::string_view text);

struct yaml_document {
    json::value value;
    // JSON Pointer of every value ("" = the root, "/tools/raster_query", list elements by index) -> its line, from 1. A
    // member of a map has the line of its key; the content of an alias has the line of the alias.
    std::map<std::string, std::size_t> lines;
};

// The same, with line numbers for messages. Pointers of more than 16 MiB together are refused.
result<yaml_document> parse_yaml_document(std::string_view text);

}  // namespace gdalmcp::base
