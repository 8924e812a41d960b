#include "tools.hpp"

using namespace gdalmcp_aggregation_more;

GDALMCP_PLUGIN("org.gdal-mcp.aggregation-more", "0.1.0", "MIT", aggregate_density, aggregate_fuse, aggregate_grid)
