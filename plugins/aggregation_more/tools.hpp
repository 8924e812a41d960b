// tools.hpp — the tools of the bundle aggregation-more, each defined in the file of its name.
#pragma once
#include <gdalmcp/tool.hpp>

namespace gdalmcp_aggregation_more {

// clang-format off
namespace aggregate_density { extern const gdalmcp::tool tool; }
namespace aggregate_fuse { extern const gdalmcp::tool tool; }
namespace aggregate_grid { extern const gdalmcp::tool tool; }
namespace aggregate_series { extern const gdalmcp::tool tool; }
// clang-format on

}  // namespace gdalmcp_aggregation_more
