#include "tools.hpp"

namespace gdalmcp_maps {

GDALMCP_PLUGIN("org.gdal-mcp.maps", "0.1.0", "MIT", chart_preview::tool, map_preview::tool)

}  // namespace gdalmcp_maps
