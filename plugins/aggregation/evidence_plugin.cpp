#include "evidence_tools.hpp"

GDALMCP_PLUGIN("org.gdal-mcp.aggregation-evidence", "0.1.0", "MIT", gdalmcp_aggregation::zone_support.abi())
