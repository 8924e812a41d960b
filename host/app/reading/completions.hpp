// completion/complete: what an argument of a prompt, or a variable of a resource template, may be.
#pragma once
#include "app/reading/reader.hpp"
#include "mcp/reply.hpp"

namespace gdalmcp::app {

// Best first; nothing for what has no list. params: see mcp::completion.
mcp::reply complete(reader& r, const json::object& params, const runner::cancellation& cancel);

// Codes of CRSs by the beginning of a code ("EPSG:269", "269") or by words of the name ("utm 17"). Exact ones first,
// then codes before names, the ones in use before the deprecated, EPSG before other authorities; in this order the
// first 200, then the rest.
std::vector<std::string> matching_crs(const std::vector<registered_crs>& all, std::string_view typed);

}  // namespace gdalmcp::app
