// tools.hpp — the tools of the bundle maps, each defined in the file of its name.
#pragma once
#include <gdalmcp/tool.hpp>

namespace gdalmcp_maps {

// clang-format off
namespace chart_preview { extern const gdalmcp::tool tool; }
namespace map_preview { extern const gdalmcp::tool tool; }
// clang-format on

}  // namespace gdalmcp_maps
