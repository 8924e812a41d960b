// tools.hpp — the tools of the bundle hydrology, each defined in the file of its name.
#pragma once
#include <gdalmcp/tool.hpp>

namespace gdalmcp_hydrology {

extern const gdalmcp::tool hydro_condition, hydro_flow_direction, hydro_flow_accumulation, hydro_streams,
    hydro_watershed;

}  // namespace gdalmcp_hydrology
