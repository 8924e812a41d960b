#include "tools.hpp"

namespace gdalmcp_hydrology_delineation {

GDALMCP_PLUGIN("org.gdal-mcp.hydrology-delineation", "0.1.0", "MIT", hydro_delineate::tool)

}  // namespace gdalmcp_hydrology_delineation
