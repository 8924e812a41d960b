// tools.hpp — the tools of the bundle aggregation-more, each defined in the file of its name.
#pragma once
#include <gdalmcp/tool.hpp>

namespace gdalmcp_aggregation_more {

extern const gdalmcp::tool aggregate_density, aggregate_fuse, aggregate_grid;

}  // namespace gdalmcp_aggregation_more
