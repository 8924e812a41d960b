#include "tools.hpp"

namespace gdalmcp_aggregation {

GDALMCP_PLUGIN("org.gdal-mcp.aggregation", "0.1.0", "MIT", aggregate_zonal::tool, aggregate_classes::tool)

}  // namespace gdalmcp_aggregation
