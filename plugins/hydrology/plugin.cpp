#include "tools.hpp"

using namespace gdalmcp_hydrology;

GDALMCP_PLUGIN("org.gdal-mcp.hydrology", "0.1.0", "MIT", hydro_condition, hydro_flow_direction, hydro_flow_accumulation,
               hydro_streams, hydro_watershed)
