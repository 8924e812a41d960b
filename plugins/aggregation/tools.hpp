// tools.hpp — the tools of the bundle aggregation, each defined in the file of its name.
#pragma once
#include <gdalmcp/tool.hpp>

namespace gdalmcp_aggregation {

extern const gdalmcp::tool aggregate_zonal, aggregate_classes;

}  // namespace gdalmcp_aggregation
