#include "tools.hpp"

namespace gdalmcp_gdal {

GDALMCP_PLUGIN("org.gdal-mcp.gdal", "0.1.0", "MIT", gdal2xyz::tool, gdal_merge::tool, gdal_polygonize::tool,
               gdal_rasterize::tool, gdal_translate::tool, gdalbuildvrt::tool, gdalinfo::tool, gdalwarp::tool)

}  // namespace gdalmcp_gdal
