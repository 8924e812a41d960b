// tools.hpp — the tools of the bundle fields, each defined in the file of its name.
#pragma once
#include <gdalmcp/tool.hpp>

namespace gdalmcp_fields {

extern const gdalmcp::tool vector_calc, vector_stats;

}  // namespace gdalmcp_fields
