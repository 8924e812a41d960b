// tools.hpp — the tools of the bundle raster-more, each defined in the file of its name.
#pragma once
#include <gdalmcp/tool.hpp>

namespace gdalmcp_raster_more {

extern const gdalmcp::tool raster_contour, raster_cost, raster_curvature, raster_distance, raster_fill_nodata,
    raster_focal, raster_index, raster_interpolate, raster_polygonize, raster_rasterize, raster_sieve, raster_viewshed;

}  // namespace gdalmcp_raster_more
