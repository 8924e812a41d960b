// tools.hpp — the tools of the bundle maps, each defined in the file of its name.
#pragma once
#include <gdalmcp/tool.hpp>

namespace gdalmcp_maps {

extern const gdalmcp::tool chart_preview, map_preview;

}  // namespace gdalmcp_maps
