// tools.hpp — the tools of the bundle vector-more, each defined in the file of its name.
#pragma once
#include <gdalmcp/tool.hpp>

namespace gdalmcp_vector_more {

// clang-format off
namespace vector_derive { extern const gdalmcp::tool tool; }
namespace vector_index { extern const gdalmcp::tool tool; }
namespace vector_simplify { extern const gdalmcp::tool tool; }
namespace vector_validate { extern const gdalmcp::tool tool; }
// clang-format on

}  // namespace gdalmcp_vector_more
