// tools.hpp — the tools of the bundle hydrology-more, each defined in the file of its name.
#pragma once
#include <gdalmcp/tool.hpp>

namespace gdalmcp_hydrology_more {

extern const gdalmcp::tool hydro_index;

}  // namespace gdalmcp_hydrology_more
