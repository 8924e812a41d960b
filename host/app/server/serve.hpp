// `gdal-mcp serve`: MCP over stdio until the client is gone.
#pragma once
#include "app/call/host.hpp"

namespace gdalmcp::app {

int serve_stdio(host& h);  // the exit code

// From now on SIGTERM and SIGINT end this process only by way of whoever awaits them: a second one must not cut off the
// removal of stages and scratch folders.
void catch_signals_for_good();

void report_start(const host& h);  // in the log: what whoever starts a server should know

}  // namespace gdalmcp::app
