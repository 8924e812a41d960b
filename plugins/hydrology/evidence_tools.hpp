// evidence_tools.hpp — the tools of the bundle hydrology-evidence, each defined in the file of its name.
#pragma once
#include <gdalmcp/tool.hpp>

namespace gdalmcp_hydrology {

extern const gdalmcp::tool dem_depressions, stream_threshold;

}  // namespace gdalmcp_hydrology
