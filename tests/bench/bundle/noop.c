/* Two tools that do nothing; one is governed by governed.yaml. */
#include <gdalmcp/abi.h>

static gdalmcp_status run(const gdalmcp_host* host, gdalmcp_call* call, const void* self) {
    const gdalmcp_str at = {"/done", 5};
    (void)self;
    return host->put_bool(call, at, 1);
}

#define INPUT                                                                                         \
    "{\"type\":\"object\",\"additionalProperties\":false,\"required\":[\"dst_crs\"],\"properties\":{" \
    "\"dst_crs\":{\"type\":\"string\",\"x-gdalmcp\":\"crs\",\"description\":\"A CRS nothing is done with.\"}}}"
#define OUTPUT                                                      \
    "{\"type\":\"object\",\"required\":[\"done\"],\"properties\":{" \
    "\"done\":{\"type\":\"boolean\",\"description\":\"Always true.\"}}}"

#ifdef LINKED
#define NAME "noop_gdal"
#define BUNDLE "bench-gdal"
#else
#define NAME "noop"
#define BUNDLE "bench"
#endif

static const gdalmcp_tool noop = {sizeof noop,
                                  GDALMCP_READ_ONLY | GDALMCP_IDEMPOTENT,
                                  NAME,
                                  "No operation",
                                  "Does nothing; measures what a call costs.",
                                  INPUT,
                                  OUTPUT,
                                  run,
                                  NULL};
static const gdalmcp_tool noop_governed = {sizeof noop_governed,
                                           GDALMCP_READ_ONLY | GDALMCP_IDEMPOTENT,
                                           NAME "_governed",
                                           "Governed no operation",
                                           "Does nothing, once its reason is stored.",
                                           INPUT,
                                           OUTPUT,
                                           run,
                                           NULL};
static const gdalmcp_tool* const tools[] = {&noop, &noop_governed};
static const gdalmcp_plugin plugin = {
    sizeof plugin, GDALMCP_ABI_MAJOR, GDALMCP_ABI_MINOR, 2, "org.gdal-mcp." BUNDLE, "0.1.0", "MIT", tools, NULL};

const gdalmcp_plugin* gdalmcp_plugin_v1(uint32_t host_abi_minor) {
    (void)host_abi_minor;
    return &plugin;
}
