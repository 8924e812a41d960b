// Definitions of the two host tools of this room, as tools/list wants them.
#pragma once
#include "reflection/specs.hpp"

namespace gdalmcp::reflection {

json::array host_tool_definitions(const specs& s);  // store_justification, preflight

}  // namespace gdalmcp::reflection
