// The built-in tools of the host.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "base/schema.hpp"
#include "reflection/specs.hpp"

namespace gdalmcp::app {

namespace json = boost::json;

std::vector<std::string> reserved_tools();                 // names no bundle may use
json::array host_definitions(const reflection::specs& s);  // for tools/list
std::map<std::string, base::schema, std::less<>> host_tool_schemas(const reflection::specs& s);  // of their arguments

}  // namespace gdalmcp::app
