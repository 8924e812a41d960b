#include "tools.hpp"

namespace gdalmcp_temporal {

GDALMCP_PLUGIN("org.gdal-mcp.aggregation-temporal", "0.1.0", "MIT", aggregate_temporal::tool)

}  // namespace gdalmcp_temporal
