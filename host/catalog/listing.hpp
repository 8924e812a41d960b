// The form of a tool's schemas in tools/list. A model reads all of it, so it is shorter than the schema the host
// validates with.
#pragma once
#include "base/json.hpp"

namespace gdalmcp::catalog {

namespace json = boost::json;

// x-* keywords stripped, except x-mcp-header; a list or one bare value as the list, a geometry by types alone. Omits
// that texts must not be empty and members must be known.
json::value listed_arguments(const json::value& schema);

// Top-level members with their types and descriptions; deeper members as one line of names and units: Every result that
// the manifest's schema allows is valid by the listed one.
//   "window": {"type": "object", "description": "Part of the source that was read {column, row, width [cells]}"}
// Members the host makes (output, warnings, checks) are described once in the server's instructions.
json::value listed_result(const json::value& schema);

}  // namespace gdalmcp::catalog
