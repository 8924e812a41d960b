#include "raster_tools.hpp"

using namespace gdalmcp_raster;

GDALMCP_PLUGIN("org.gdal-mcp.raster", "0.1.0", "MIT", raster_convert.abi(), raster_info.abi(), raster_preview.abi(),
               raster_query.abi(), raster_reproject.abi(), raster_stats.abi())
