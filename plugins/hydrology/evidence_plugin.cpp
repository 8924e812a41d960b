#include "evidence_tools.hpp"

using namespace gdalmcp_hydrology;

GDALMCP_PLUGIN("org.gdal-mcp.hydrology-evidence", "0.1.0", "MIT", dem_depressions, stream_threshold)
