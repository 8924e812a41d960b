// tools.hpp — the tools of the bundle gdal, each defined in the file of its name.
#pragma once
#include <gdalmcp/tool.hpp>

namespace gdalmcp_gdal {

extern const gdalmcp::tool gdal_translate, gdalinfo;

}  // namespace gdalmcp_gdal
