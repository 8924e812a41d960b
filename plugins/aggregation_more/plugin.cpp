#include "tools.hpp"

namespace gdalmcp_aggregation_more {

GDALMCP_PLUGIN("org.gdal-mcp.aggregation-more", "0.1.0", "MIT", aggregate_density::tool, aggregate_fuse::tool,
               aggregate_grid::tool, aggregate_series::tool)

}  // namespace gdalmcp_aggregation_more
