// tools.hpp — the tools of the bundle fields, each defined in the file of its name.
#pragma once
#include <gdalmcp/tool.hpp>

namespace gdalmcp_fields {

// clang-format off
namespace vector_calc { extern const gdalmcp::tool tool; }
namespace vector_stats { extern const gdalmcp::tool tool; }
// clang-format on

}  // namespace gdalmcp_fields
