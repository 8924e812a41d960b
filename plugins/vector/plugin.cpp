#include "vector_tools.hpp"

#include <gdalmcp/tool.hpp>

GDALMCP_PLUGIN("org.gdal-mcp.vector", "0.1.0", "MIT", gdalmcp_vector::vector_info(), gdalmcp_vector::vector_query(),
               gdalmcp_vector::vector_reproject())
