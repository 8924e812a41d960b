#include "tools.hpp"

using namespace gdalmcp_vector_more;

GDALMCP_PLUGIN("org.gdal-mcp.vector-more", "0.1.0", "MIT", vector_derive, vector_index, vector_simplify,
               vector_validate)
