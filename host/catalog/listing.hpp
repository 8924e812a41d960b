// What tools/list shows of a tool's schemas. A model reads all of it, so it is shorter than what the host checks by.
#pragma once
#include "base/json.hpp"

namespace gdalmcp::catalog {

namespace json = boost::json;

// x-* keywords stripped, but x-mcp-header; a list or one bare value as the list, what a geometry
// may be by types alone. That a text must not be empty and a member must be known goes without saying.
json::value listed_arguments(const json::value& schema);

// Top-level members with their types and descriptions; what lies deeper as one line of names and units:
// Every result that the manifest's schema allows is valid by the listed one.
//   "window": {"type": "object", "description": "Part of the source that was read {column, row, width [cells]}"}
// Members the host makes (output, warnings, checks) are described once in the server's instructions.
json::value listed_result(const json::value& schema);

}  // namespace gdalmcp::catalog
