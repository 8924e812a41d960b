/* A plugin of the past: it knows the header of ABI 1.0 and nothing newer. */
#include <string.h>

#include "frozen/abi_v1_0.h"

static gdalmcp_str text(const char* s) {
    const gdalmcp_str out = {s, strlen(s)};
    return out;
}

static gdalmcp_status run(const gdalmcp_host* host, gdalmcp_call* call, const void* self) {
    gdalmcp_str name = {NULL, 0}, scratch = {NULL, 0};
    double factor = 0;
    gdalmcp_status status = host->get_string(call, text("/name"), &name);
    if (host->struct_size < sizeof(gdalmcp_host)) return GDALMCP_UNSUPPORTED;
    if (status == GDALMCP_OK) status = host->get_number(call, text("/factor"), &factor);
    if (status != GDALMCP_OK) return status;
    if (factor < 0) {
        host->fail(call, GDALMCP_INVALID_ARGUMENT, text("'factor' is negative"), text("give a factor of 0 or more"));
        return GDALMCP_INVALID_ARGUMENT;
    }
    if (!host->progress(call, 0.5, text("half"))) return GDALMCP_CANCELLED;
    host->log(call, 6, text("from the past"));
    host->warn(call, text("old plugin"));
    host->say(call, name);
    host->new_scratch(call, text("a"), text(".bin"), &scratch);
    host->put_string(call, text("/scratch"), scratch);
    host->put_string(call, text("/name"), name);
    host->put_number(call, text("/product"), factor * *(const double*)self);
    host->put_bool(call, text("/unknown_extension"), host->extension(call, "gdalmcp.nothing/1") != NULL);
    return host->put_int(call, text("/kind"), host->get_kind(call, text("/factor")));
}

static const double two = 2;
static const gdalmcp_tool tool = {
    sizeof(gdalmcp_tool),
    GDALMCP_READ_ONLY,
    "frozen",
    NULL,
    "A tool compiled against the header of ABI 1.0.",
    "{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\",\"description\":\"Any text.\"},"
    "\"factor\":{\"type\":\"number\",\"description\":\"Doubled.\"}},\"required\":[\"name\",\"factor\"],"
    "\"additionalProperties\":false}",
    NULL,
    run,
    &two};

const gdalmcp_plugin* gdalmcp_plugin_v1(uint32_t host_abi_minor) {
    static const gdalmcp_tool* const tools[] = {&tool};
    static const gdalmcp_plugin plugin = {
        sizeof(gdalmcp_plugin), 1, 0, 1, "org.gdal-mcp.test.frozen", "1.0.0", "MIT", tools, NULL};
    (void)host_abi_minor; /* any minor of major 1 will do */
    return &plugin;
}
