// The tools of the bundle, each defined in the file of its name.
#pragma once
#include <gdalmcp/tool.hpp>

namespace gdalmcp_raster {

extern const gdalmcp::tool raster_info;
extern const gdalmcp::tool raster_stats;
extern const gdalmcp::tool raster_query;
extern const gdalmcp::tool raster_reproject;
extern const gdalmcp::tool raster_convert;
extern const gdalmcp::tool raster_preview;

}  // namespace gdalmcp_raster
