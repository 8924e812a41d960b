#include "evidence_tools.hpp"

namespace gdalmcp_vector {

GDALMCP_PLUGIN("org.gdal-mcp.vector-evidence", "0.1.0", "MIT", vector_profile::tool)

}  // namespace gdalmcp_vector
