/* A plugin of a later minor: its tables are longer than today's, and it asks for what is new only where the host has
 * it. NEEDS_MINOR: it cannot serve an earlier host. SHORT_TABLE, SHORT_TOOL: tables shorter than ABI 1.0 has them. */
#include <gdalmcp/abi.h>
#include <string.h>

#ifndef NEEDS_MINOR
#define NEEDS_MINOR 0
#endif

typedef struct future_tool {
    gdalmcp_tool v1;
    const char* later[4];
} future_tool;

typedef struct future_plugin {
    gdalmcp_plugin v1;
    const char* later[4];
} future_plugin;

typedef struct future_attachment {
    gdalmcp_attachment v1;
    gdalmcp_str later;
} future_attachment;

static gdalmcp_str text(const char* s) {
    const gdalmcp_str out = {s, strlen(s)};
    return out;
}

static gdalmcp_status run(const gdalmcp_host* host, gdalmcp_call* call, const void* self) {
    future_attachment a = {{sizeof a, GDALMCP_TEXT, {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}}, {NULL, 0}};
    gdalmcp_status status = host->put_int(call, text("/minor"), host->abi_minor);
    if (status == GDALMCP_OK) status = host->put_string(call, text("/self"), text(self));
    a.v1.media_type = text("text/plain");
    a.v1.bytes = text("see the legend");
    a.later = text("a host of today does not look here");
    if (host->abi_minor >= 1) {
        a.v1.kind = GDALMCP_LINK;
        a.v1.bytes = text("https://example.org/legend");
        a.v1.name = text("Legend");
    }
    return status == GDALMCP_OK ? host->attach(call, &a.v1) : status;
}

static const future_tool first = {
#ifdef SHORT_TOOL
    {sizeof(gdalmcp_tool) - sizeof(void*),
#else
    {sizeof(future_tool),
#endif
     GDALMCP_READ_ONLY, "future_first", NULL, "A tool of a later minor.",
     "{\"type\":\"object\",\"properties\":{},\"additionalProperties\":false}", NULL, run, "first"},
    {"this", "is", "not", "for you"}};
static const future_tool second = {
    {sizeof(future_tool), GDALMCP_READ_ONLY, "future_second", NULL, "Another one.",
     "{\"type\":\"object\",\"properties\":{},\"additionalProperties\":false}", NULL, run, "second"},
    {"this", "is", "not", "for you"}};

const gdalmcp_plugin* gdalmcp_plugin_v1(uint32_t host_abi_minor) {
    static const gdalmcp_tool* const tools[] = {&first.v1, &second.v1};
    static const future_plugin plugin = {
#ifdef SHORT_TABLE
        {sizeof(gdalmcp_plugin) - sizeof(void*),
#else
        {sizeof(future_plugin),
#endif
         GDALMCP_ABI_MAJOR, 99, 2, "org.gdal-mcp.test.future", "1.0.0", "MIT", tools, NULL},
        {"this", "is", "not", "for you"}
    };
    return host_abi_minor + 1 <= NEEDS_MINOR ? NULL : &plugin.v1;
}
