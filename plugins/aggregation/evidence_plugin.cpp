#include "evidence_tools.hpp"

namespace gdalmcp_aggregation {

GDALMCP_PLUGIN("org.gdal-mcp.aggregation-evidence", "0.1.0", "MIT", fused_kinds::tool, zone_support::tool)

}  // namespace gdalmcp_aggregation
