#include "tools.hpp"

namespace gdalmcp_fields {

GDALMCP_PLUGIN("org.gdal-mcp.fields", "0.1.0", "MIT", vector_calc::tool, vector_stats::tool)

}  // namespace gdalmcp_fields
