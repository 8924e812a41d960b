// tools.hpp — the tools of the bundle hydrology, each defined in the file of its name.
#pragma once
#include <gdalmcp/tool.hpp>

namespace gdalmcp_hydrology {

// clang-format off
namespace hydro_condition { extern const gdalmcp::tool tool; }
namespace hydro_flow_direction { extern const gdalmcp::tool tool; }
namespace hydro_flow_accumulation { extern const gdalmcp::tool tool; }
namespace hydro_streams { extern const gdalmcp::tool tool; }
namespace hydro_watershed { extern const gdalmcp::tool tool; }
// clang-format on

}  // namespace gdalmcp_hydrology
