// tools.hpp — the tools of the bundle vector, each defined in the file of its name.
#pragma once
#include <gdalmcp/tool.hpp>

namespace gdalmcp_vector {

// clang-format off
namespace vector_buffer { extern const gdalmcp::tool tool; }
namespace vector_clip { extern const gdalmcp::tool tool; }
namespace vector_convert { extern const gdalmcp::tool tool; }
namespace vector_dissolve { extern const gdalmcp::tool tool; }
namespace vector_info { extern const gdalmcp::tool tool; }
namespace vector_join { extern const gdalmcp::tool tool; }
namespace vector_measure { extern const gdalmcp::tool tool; }
namespace vector_overlay { extern const gdalmcp::tool tool; }
namespace vector_query { extern const gdalmcp::tool tool; }
namespace vector_reproject { extern const gdalmcp::tool tool; }
// clang-format on

}  // namespace gdalmcp_vector
