// A call as a line of a shell.
#pragma once
#include <string>

#include "base/json.hpp"

namespace gdalmcp::app {

// "gdal-mcp call raster_info --json '{"uri":"a.tif"}'": makes the call again.
std::string call_line(const std::string& tool, const base::json::value& arguments);

// The word between single quotes, as every POSIX shell reads it back.
std::string quoted(const std::string& word);

}  // namespace gdalmcp::app
