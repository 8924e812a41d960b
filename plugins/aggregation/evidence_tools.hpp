// evidence_tools.hpp — the tools of the bundle aggregation-evidence, each defined in the file of its name.
#pragma once
#include <gdalmcp/tool.hpp>

namespace gdalmcp_aggregation {

// clang-format off
namespace fused_kinds { extern const gdalmcp::tool tool; }
namespace zone_support { extern const gdalmcp::tool tool; }
// clang-format on

}  // namespace gdalmcp_aggregation
