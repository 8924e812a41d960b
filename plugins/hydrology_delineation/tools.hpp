// tools.hpp — the tools of the bundle hydrology-delineation, each defined in the file of its name.
#pragma once
#include <gdalmcp/tool.hpp>

namespace gdalmcp_hydrology_delineation {

extern const gdalmcp::tool hydro_delineate;

}  // namespace gdalmcp_hydrology_delineation
