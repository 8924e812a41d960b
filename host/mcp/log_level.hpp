// The severities of MCP logging (RFC 5424).
#pragma once
#include <string>

#include "base/json.hpp"

namespace gdalmcp::mcp {

bool is_log_level(const base::json::value& v);
std::string log_level_names();  // "debug, info, …"

}  // namespace gdalmcp::mcp
