#include "evidence_tools.hpp"

using namespace gdalmcp_raster;

GDALMCP_PLUGIN("org.gdal-mcp.raster-evidence", "0.1.0", "MIT", conversion_loss, crs_distortion, raster_profile,
               resampling_trial)
