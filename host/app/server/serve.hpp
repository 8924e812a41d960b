// `gdal-mcp serve`: MCP over stdio until the client disconnects.
#pragma once
#include "app/call/host.hpp"

namespace gdalmcp::app {

int serve_stdio(host& h);  // the exit code

// From now on SIGTERM and SIGINT only notify their signal sets: a second signal must not interrupt the removal of
// stages and scratch folders.
void catch_signals_for_good();

void report_toolsets(const host& h);  // logs the names of --toolsets that no bundle has
void report_start(const host& h);     // logs remarks for the operator

}  // namespace gdalmcp::app
