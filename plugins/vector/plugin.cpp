#include "tools.hpp"

namespace gdalmcp_vector {

GDALMCP_PLUGIN("org.gdal-mcp.vector", "0.1.0", "MIT", vector_buffer::tool, vector_clip::tool, vector_convert::tool,
               vector_dissolve::tool, vector_info::tool, vector_join::tool, vector_measure::tool, vector_overlay::tool,
               vector_query::tool, vector_reproject::tool)

}  // namespace gdalmcp_vector
