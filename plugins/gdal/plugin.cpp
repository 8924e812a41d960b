#include "tools.hpp"

using namespace gdalmcp_gdal;

GDALMCP_PLUGIN("org.gdal-mcp.gdal", "0.1.0", "MIT", gdal2xyz, gdal_merge, gdal_polygonize, gdal_rasterize,
               gdal_translate, gdalbuildvrt, gdalinfo, gdalwarp)
