// `gdal-mcp serve`: MCP over stdio until the client is gone.
#pragma once
#include "app/host.hpp"

namespace gdalmcp::app {

int serve_stdio(host& h);  // the exit code

}  // namespace gdalmcp::app
