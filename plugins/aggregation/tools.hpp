// tools.hpp — the tools of this bundle, one source file each.
#pragma once
#include <gdalmcp/tool.hpp>

namespace gdalmcp_aggregation {

extern const gdalmcp::tool aggregate_zonal;

}  // namespace gdalmcp_aggregation
