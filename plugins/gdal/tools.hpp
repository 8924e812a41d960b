// tools.hpp — the tools of the bundle gdal, each defined in the file of its name.
#pragma once
#include <gdalmcp/tool.hpp>

namespace gdalmcp_gdal {

// clang-format off
namespace gdal2xyz { extern const gdalmcp::tool tool; }
namespace gdal_merge { extern const gdalmcp::tool tool; }
namespace gdal_polygonize { extern const gdalmcp::tool tool; }
namespace gdal_rasterize { extern const gdalmcp::tool tool; }
namespace gdal_translate { extern const gdalmcp::tool tool; }
namespace gdalbuildvrt { extern const gdalmcp::tool tool; }
namespace gdalinfo { extern const gdalmcp::tool tool; }
namespace gdalwarp { extern const gdalmcp::tool tool; }
// clang-format on

}  // namespace gdalmcp_gdal
