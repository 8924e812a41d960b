#include "tools.hpp"

using namespace gdalmcp_raster;

GDALMCP_PLUGIN("org.gdal-mcp.raster", "0.1.0", "MIT", raster_calc, raster_classify, raster_compare, raster_convert,
               raster_info, raster_mosaic, raster_preview, raster_query, raster_reproject, raster_sample, raster_stats,
               raster_terrain)
