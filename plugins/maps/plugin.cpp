#include "tools.hpp"

using namespace gdalmcp_maps;

GDALMCP_PLUGIN("org.gdal-mcp.maps", "0.1.0", "MIT", chart_preview, map_preview)
