// `gdal-mcp serve --http ADDR:PORT`: MCP for many clients until SIGTERM.
#pragma once
#include "app/configuration.hpp"

namespace gdalmcp::app {

// Logs the address on stderr when it listens. Returns the exit code: 0 after a signal, 2 for inconsistent settings.
int serve_http(const configuration& c);

}  // namespace gdalmcp::app
