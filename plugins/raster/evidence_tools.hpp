// evidence_tools.hpp — the tools of the bundle raster-evidence, each defined in the file of its name.
#pragma once
#include <gdalmcp/tool.hpp>

namespace gdalmcp_raster {

// clang-format off
namespace conversion_loss { extern const gdalmcp::tool tool; }
namespace crs_distortion { extern const gdalmcp::tool tool; }
namespace raster_profile { extern const gdalmcp::tool tool; }
namespace resampling_trial { extern const gdalmcp::tool tool; }
// clang-format on

}  // namespace gdalmcp_raster
