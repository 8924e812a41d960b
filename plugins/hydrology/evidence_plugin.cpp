#include "evidence_tools.hpp"

GDALMCP_PLUGIN("org.gdal-mcp.hydrology-evidence", "0.1.0", "MIT", gdalmcp_hydrology::dem_depressions.abi(),
               gdalmcp_hydrology::stream_threshold.abi())
