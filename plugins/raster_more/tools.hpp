// tools.hpp — the tools of the bundle raster-more, each defined in the file of its name.
#pragma once
#include <gdalmcp/tool.hpp>

namespace gdalmcp_raster_more {

// clang-format off
namespace raster_contour { extern const gdalmcp::tool tool; }
namespace raster_cost { extern const gdalmcp::tool tool; }
namespace raster_curvature { extern const gdalmcp::tool tool; }
namespace raster_distance { extern const gdalmcp::tool tool; }
namespace raster_fill_nodata { extern const gdalmcp::tool tool; }
namespace raster_focal { extern const gdalmcp::tool tool; }
namespace raster_index { extern const gdalmcp::tool tool; }
namespace raster_interpolate { extern const gdalmcp::tool tool; }
namespace raster_polygonize { extern const gdalmcp::tool tool; }
namespace raster_rasterize { extern const gdalmcp::tool tool; }
namespace raster_sieve { extern const gdalmcp::tool tool; }
namespace raster_viewshed { extern const gdalmcp::tool tool; }
// clang-format on

}  // namespace gdalmcp_raster_more
