#include "tools.hpp"

namespace gdalmcp_raster_more {

GDALMCP_PLUGIN("org.gdal-mcp.raster-more", "0.1.0", "MIT", raster_contour::tool, raster_cost::tool,
               raster_curvature::tool, raster_distance::tool, raster_fill_nodata::tool, raster_focal::tool,
               raster_index::tool, raster_interpolate::tool, raster_polygonize::tool, raster_rasterize::tool,
               raster_sieve::tool, raster_viewshed::tool)

}  // namespace gdalmcp_raster_more
