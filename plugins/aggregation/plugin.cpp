#include "tools.hpp"

using namespace gdalmcp_aggregation;

GDALMCP_PLUGIN("org.gdal-mcp.aggregation", "0.1.0", "MIT", aggregate_zonal, aggregate_classes)
