// tools.hpp — the tools of the bundle vector-more, each defined in the file of its name.
#pragma once
#include <gdalmcp/tool.hpp>

namespace gdalmcp_vector_more {

extern const gdalmcp::tool vector_derive, vector_index, vector_simplify, vector_validate;

}  // namespace gdalmcp_vector_more
