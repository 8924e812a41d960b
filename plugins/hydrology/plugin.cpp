#include "tools.hpp"

GDALMCP_PLUGIN("org.gdal-mcp.hydrology", "0.1.0", "MIT", gdalmcp_hydrology::hydro_condition.abi(),
               gdalmcp_hydrology::hydro_flow_direction.abi(), gdalmcp_hydrology::hydro_flow_accumulation.abi())
