/* Linked to a libgdal: which one, the build says. */
#include "../hostile/hostile.h"

const char* GDALVersionInfo(const char* request); /* as gdal.h has it */

static gdalmcp_status version(const gdalmcp_host* host, gdalmcp_call* call, const void* self) {
    BEGIN;
    host->put_string(call, text("/text"), text(GDALVersionInfo("RELEASE_NAME")));
    attempted(c, "version", 0);
    return report(c);
}

TOOL_RUN_BY(version, own_gdal_version, GDALMCP_READ_ONLY, NOTHING);
TOOL_RUN_BY(hostile_polite_loop, own_gdal_wait, GDALMCP_READ_ONLY, NOTHING);

static const gdalmcp_tool* const tools[] = {&own_gdal_version_tool, &own_gdal_wait_tool};
PLUGIN("org.gdal-mcp.test.own-gdal", tools)
