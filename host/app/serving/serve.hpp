// `gdal-mcp serve`: MCP over stdio until the client is gone.
#pragma once
#include "app/calls/host.hpp"

namespace gdalmcp::app {

int serve_stdio(host& h);  // the exit code

void report_start(const host& h);  // in the log: what whoever starts a server should know

}  // namespace gdalmcp::app
