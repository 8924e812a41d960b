#include "tools.hpp"

using namespace gdalmcp_fields;

GDALMCP_PLUGIN("org.gdal-mcp.fields", "0.1.0", "MIT", vector_calc, vector_stats)
