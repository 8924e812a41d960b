// tools.hpp — the tools of the bundle aggregation, each defined in the file of its name.
#pragma once
#include <gdalmcp/tool.hpp>

namespace gdalmcp_aggregation {

// clang-format off
namespace aggregate_zonal { extern const gdalmcp::tool tool; }
namespace aggregate_classes { extern const gdalmcp::tool tool; }
// clang-format on

}  // namespace gdalmcp_aggregation
