#include "evidence_tools.hpp"

using namespace gdalmcp_aggregation;

GDALMCP_PLUGIN("org.gdal-mcp.aggregation-evidence", "0.1.0", "MIT", zone_support)
