// evidence_tools.hpp — the tools of the bundle hydrology-evidence, each defined in the file of its name.
#pragma once
#include <gdalmcp/tool.hpp>

namespace gdalmcp_hydrology {

// clang-format off
namespace dem_depressions { extern const gdalmcp::tool tool; }
namespace stream_threshold { extern const gdalmcp::tool tool; }
// clang-format on

}  // namespace gdalmcp_hydrology
