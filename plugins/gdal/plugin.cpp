#include "tools.hpp"

using namespace gdalmcp_gdal;

GDALMCP_PLUGIN("org.gdal-mcp.gdal", "0.1.0", "MIT", gdal_translate, gdalinfo)
