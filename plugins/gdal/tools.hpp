// tools.hpp — the tools of the bundle gdal, each defined in the file of its name.
#pragma once
#include <gdalmcp/tool.hpp>

namespace gdalmcp_gdal {

extern const gdalmcp::tool gdal2xyz, gdal_merge, gdal_polygonize, gdal_rasterize, gdal_translate, gdalbuildvrt,
    gdalinfo, gdalwarp;

}  // namespace gdalmcp_gdal
