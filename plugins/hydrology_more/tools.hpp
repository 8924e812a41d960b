// tools.hpp — the tools of the bundle hydrology-more, each defined in the file of its name.
#pragma once
#include <gdalmcp/tool.hpp>

namespace gdalmcp_hydrology_more {

// clang-format off
namespace hydro_index { extern const gdalmcp::tool tool; }
// clang-format on

}  // namespace gdalmcp_hydrology_more
