// evidence_tools.hpp — the tools of the bundle hydrology-evidence, one source file each.
#pragma once
#include <gdalmcp/tool.hpp>

namespace gdalmcp_hydrology {

extern const gdalmcp::tool dem_depressions;
extern const gdalmcp::tool stream_threshold;

}  // namespace gdalmcp_hydrology
