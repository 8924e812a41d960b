// tools.hpp — the tools of the bundle raster, each defined in the file of its name.
#pragma once
#include <gdalmcp/tool.hpp>

namespace gdalmcp_raster {

// clang-format off
namespace raster_calc { extern const gdalmcp::tool tool; }
namespace raster_classify { extern const gdalmcp::tool tool; }
namespace raster_compare { extern const gdalmcp::tool tool; }
namespace raster_convert { extern const gdalmcp::tool tool; }
namespace raster_info { extern const gdalmcp::tool tool; }
namespace raster_mosaic { extern const gdalmcp::tool tool; }
namespace raster_preview { extern const gdalmcp::tool tool; }
namespace raster_query { extern const gdalmcp::tool tool; }
namespace raster_reproject { extern const gdalmcp::tool tool; }
namespace raster_sample { extern const gdalmcp::tool tool; }
namespace raster_stats { extern const gdalmcp::tool tool; }
namespace raster_terrain { extern const gdalmcp::tool tool; }
// clang-format on

}  // namespace gdalmcp_raster
