#include "tools.hpp"

namespace gdalmcp_raster {

GDALMCP_PLUGIN("org.gdal-mcp.raster", "0.1.0", "MIT", raster_calc::tool, raster_classify::tool, raster_compare::tool,
               raster_convert::tool, raster_info::tool, raster_mosaic::tool, raster_preview::tool, raster_query::tool,
               raster_reproject::tool, raster_sample::tool, raster_stats::tool, raster_terrain::tool)

}  // namespace gdalmcp_raster
