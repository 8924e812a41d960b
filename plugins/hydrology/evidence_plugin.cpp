#include "evidence_tools.hpp"

namespace gdalmcp_hydrology {

GDALMCP_PLUGIN("org.gdal-mcp.hydrology-evidence", "0.1.0", "MIT", dem_depressions::tool, stream_threshold::tool)

}  // namespace gdalmcp_hydrology
