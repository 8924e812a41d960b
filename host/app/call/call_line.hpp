// A call as a shell command.
#pragma once
#include <string>

#include "base/json.hpp"

namespace gdalmcp::app {

// "gdal-mcp call raster_info --json '{"uri":"a.tif"}'": makes the call again.
std::string call_line(const std::string& tool, const base::json::value& arguments);

// The word in single quotes, escaped for any POSIX shell.
std::string quoted(const std::string& word);

}  // namespace gdalmcp::app
