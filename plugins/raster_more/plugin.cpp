#include "tools.hpp"

using namespace gdalmcp_raster_more;

GDALMCP_PLUGIN("org.gdal-mcp.raster-more", "0.1.0", "MIT", raster_contour, raster_cost, raster_curvature,
               raster_distance, raster_fill_nodata, raster_focal, raster_index, raster_interpolate, raster_polygonize,
               raster_rasterize, raster_sieve, raster_viewshed)
