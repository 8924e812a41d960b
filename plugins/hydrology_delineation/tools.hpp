// tools.hpp — the tools of the bundle hydrology-delineation, each defined in the file of its name.
#pragma once
#include <gdalmcp/tool.hpp>

namespace gdalmcp_hydrology_delineation {

// clang-format off
namespace hydro_delineate { extern const gdalmcp::tool tool; }
// clang-format on

}  // namespace gdalmcp_hydrology_delineation
