// tools.hpp — the tools of the bundle raster, each defined in the file of its name.
#pragma once
#include <gdalmcp/tool.hpp>

namespace gdalmcp_raster {

extern const gdalmcp::tool raster_convert, raster_info, raster_preview, raster_query, raster_reproject, raster_stats;

}  // namespace gdalmcp_raster
