// evidence_tools.hpp — the tools of the bundle aggregation-evidence, each defined in the file of its name.
#pragma once
#include <gdalmcp/tool.hpp>

namespace gdalmcp_aggregation {

extern const gdalmcp::tool zone_support;

}  // namespace gdalmcp_aggregation
