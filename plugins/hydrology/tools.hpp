// tools.hpp — the tools of this bundle, one source file each.
#pragma once
#include <gdalmcp/tool.hpp>

namespace gdalmcp_hydrology {

extern const gdalmcp::tool hydro_condition;
extern const gdalmcp::tool hydro_flow_direction;
extern const gdalmcp::tool hydro_flow_accumulation;

}  // namespace gdalmcp_hydrology
