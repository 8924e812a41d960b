#include "tools.hpp"

namespace gdalmcp_vector_more {

GDALMCP_PLUGIN("org.gdal-mcp.vector-more", "0.1.0", "MIT", vector_derive::tool, vector_index::tool,
               vector_simplify::tool, vector_validate::tool)

}  // namespace gdalmcp_vector_more
