/* One tool, for a toolset that is off by default. */
#include "../hostile/report.h"

static gdalmcp_status seldom(const gdalmcp_host* host, gdalmcp_call* call, const void* self) {
    BEGIN;
    attempted(c, "run", 0);
    return report(c);
}

TOOL_RUN_BY(seldom, rare_tool, GDALMCP_READ_ONLY, NOTHING);

static const gdalmcp_tool* const tools[] = {&rare_tool_tool};
PLUGIN("org.gdal-mcp.test.rare", tools)
