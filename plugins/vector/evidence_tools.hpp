// evidence_tools.hpp — the tools of the bundle vector-evidence, each defined in the file of its name.
#pragma once
#include <gdalmcp/tool.hpp>

namespace gdalmcp_vector {

// clang-format off
namespace vector_profile { extern const gdalmcp::tool tool; }
// clang-format on

}  // namespace gdalmcp_vector
