/* The smallest complete plugin: one tool that does nothing. */
#include <gdalmcp/abi.h>

static gdalmcp_status run(const gdalmcp_host* host, gdalmcp_call* call, const void* self) {
    static const gdalmcp_str at = {"/done", 5};
    (void)self;
    return host->put_bool(call, at, 1);
}

static const gdalmcp_tool noop = {
    sizeof(gdalmcp_tool),
    GDALMCP_READ_ONLY | GDALMCP_IDEMPOTENT,
    "noop",
    "Nothing",
    "Does nothing and says so; for measuring what a call costs.",
    "{\"type\":\"object\",\"properties\":{},\"required\":[],\"additionalProperties\":false}",
    "{\"type\":\"object\",\"properties\":{\"done\":{\"type\":\"boolean\",\"description\":\"Always true\"}},"
    "\"required\":[\"done\"],\"additionalProperties\":false}",
    run,
    NULL};

const gdalmcp_plugin* gdalmcp_plugin_v1(uint32_t host_abi_minor) {
    static const gdalmcp_tool* const tools[] = {&noop};
    static const gdalmcp_plugin plugin = {sizeof(gdalmcp_plugin),
                                          GDALMCP_ABI_MAJOR,
                                          GDALMCP_ABI_MINOR,
                                          1,
                                          "org.gdal-mcp.test.noop",
                                          "1.0.0",
                                          "MIT",
                                          tools,
                                          NULL};
    (void)host_abi_minor;
    return &plugin;
}
