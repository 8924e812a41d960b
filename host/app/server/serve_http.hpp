// `gdal-mcp serve --http ADDR:PORT`: MCP for many clients until SIGTERM.
#pragma once
#include "app/configuration.hpp"

namespace gdalmcp::app {

// Says the address on stderr when it listens. The exit code: 0 after a signal, 2 for settings that do not fit together.
int serve_http(const configuration& c);

}  // namespace gdalmcp::app
