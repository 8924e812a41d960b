// The tools of the bundle raster-evidence, each defined in the file of its name.
#pragma once
#include <gdalmcp/tool.hpp>

namespace gdalmcp_raster {

extern const gdalmcp::tool crs_distortion;
extern const gdalmcp::tool resampling_trial;
extern const gdalmcp::tool raster_profile;

}  // namespace gdalmcp_raster
