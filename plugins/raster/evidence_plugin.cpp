#include "evidence_tools.hpp"

namespace gdalmcp_raster {

GDALMCP_PLUGIN("org.gdal-mcp.raster-evidence", "0.1.0", "MIT", conversion_loss::tool, crs_distortion::tool,
               raster_profile::tool, resampling_trial::tool)

}  // namespace gdalmcp_raster
