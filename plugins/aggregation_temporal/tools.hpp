// tools.hpp — the tools of the bundle aggregation-temporal, each defined in the file of its name.
#pragma once
#include <gdalmcp/tool.hpp>

namespace gdalmcp_temporal {

extern const gdalmcp::tool aggregate_temporal;

}  // namespace gdalmcp_temporal
