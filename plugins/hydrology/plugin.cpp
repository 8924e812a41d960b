#include "tools.hpp"

namespace gdalmcp_hydrology {

GDALMCP_PLUGIN("org.gdal-mcp.hydrology", "0.1.0", "MIT", hydro_condition::tool, hydro_flow_direction::tool,
               hydro_flow_accumulation::tool, hydro_streams::tool, hydro_watershed::tool)

}  // namespace gdalmcp_hydrology
