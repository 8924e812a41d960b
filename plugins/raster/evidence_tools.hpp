// evidence_tools.hpp — the tools of the bundle raster-evidence, each defined in the file of its name.
#pragma once
#include <gdalmcp/tool.hpp>

namespace gdalmcp_raster {

extern const gdalmcp::tool conversion_loss, crs_distortion, raster_profile, resampling_trial;

}  // namespace gdalmcp_raster
