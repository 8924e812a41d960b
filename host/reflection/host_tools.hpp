// Definitions of the two reflection tools of the host, for tools/list.
#pragma once
#include "reflection/specs.hpp"

namespace gdalmcp::reflection {

json::array host_tool_definitions(const specs& s);  // store_justification, preflight

}  // namespace gdalmcp::reflection
