#include "tools.hpp"

GDALMCP_PLUGIN("org.gdal-mcp.aggregation", "0.1.0", "MIT", gdalmcp_aggregation::aggregate_zonal.abi())
