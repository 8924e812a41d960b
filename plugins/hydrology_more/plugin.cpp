#include "tools.hpp"

namespace gdalmcp_hydrology_more {

GDALMCP_PLUGIN("org.gdal-mcp.hydrology-more", "0.1.0", "MIT", hydro_index::tool)

}  // namespace gdalmcp_hydrology_more
