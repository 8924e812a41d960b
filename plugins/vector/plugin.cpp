#include "tools.hpp"

using namespace gdalmcp_vector;

GDALMCP_PLUGIN("org.gdal-mcp.vector", "0.1.0", "MIT", vector_buffer, vector_clip, vector_convert, vector_dissolve,
               vector_info, vector_join, vector_measure, vector_overlay, vector_query, vector_reproject)
