// evidence_tools.hpp — the tools of the bundle vector-evidence, each defined in the file of its name.
#pragma once
#include <gdalmcp/tool.hpp>

namespace gdalmcp_vector {

extern const gdalmcp::tool vector_profile;

}  // namespace gdalmcp_vector
