// tools.hpp — the tools of the bundle aggregation-temporal, each defined in the file of its name.
#pragma once
#include <gdalmcp/tool.hpp>

namespace gdalmcp_temporal {

// clang-format off
namespace aggregate_temporal { extern const gdalmcp::tool tool; }
// clang-format on

}  // namespace gdalmcp_temporal
