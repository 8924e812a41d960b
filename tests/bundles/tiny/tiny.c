/* One tool in plain C that says its version. Its name tiny_000 and its version 0.0.0000 are overwritten, at the same
 * length, by the tests that need many bundles or many versions of one: tests/e2e/tiny.py. */
#include <gdalmcp/abi.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static gdalmcp_str text(const char* s) {
    const gdalmcp_str t = {s, strlen(s)};
    return t;
}

/* Waits, telling progress, until a file exists; 0 when told to stop before. */
static int await(const gdalmcp_host* host, gdalmcp_call* call, gdalmcp_str path) {
    static char name[4096];
    const struct timespec pause = {0, 5000000};
    double fraction = 0;
    if (path.size >= sizeof name) return 0;
    memcpy(name, path.data, path.size);
    while (access(name, F_OK) != 0) {
        if (!host->progress(call, fraction, text("waiting"))) return 0;
        fraction += (1 - fraction) * 0.01;
        nanosleep(&pause, NULL);
    }
    return 1;
}

static gdalmcp_status run(const gdalmcp_host* host, gdalmcp_call* call, const void* self) {
    gdalmcp_str until;
    (void)self;
    if (host->get_string(call, text("/until"), &until) == GDALMCP_OK && !await(host, call, until))
        return GDALMCP_CANCELLED;
    return host->put_string(call, text("/version"), text("0.0.0000"));
}

static const gdalmcp_tool tiny = {
    sizeof(gdalmcp_tool), GDALMCP_READ_ONLY | GDALMCP_IDEMPOTENT, "tiny_000", "Version", "Says its version, 0.0.0000.",
    "{\"type\":\"object\",\"additionalProperties\":false,\"properties\":{"
    "\"until\":{\"type\":\"string\",\"description\":\"Absolute path of a file to wait for before answering.\"},"
    "\"method\":{\"type\":\"string\",\"description\":\"A choice nothing depends on.\"}}}",
    /* A library under the manifest of another version breaks its promise. */
    "{\"type\":\"object\",\"additionalProperties\":false,\"required\":[\"version\"],\"properties\":{"
    "\"version\":{\"type\":\"string\",\"enum\":[\"0.0.0000\"],\"description\":\"Version of the bundle.\"}}}",
    run, NULL};

const gdalmcp_plugin* gdalmcp_plugin_v1(uint32_t host_abi_minor) {
    static const gdalmcp_tool* const tools[] = {&tiny};
    static const gdalmcp_plugin plugin = {sizeof(gdalmcp_plugin),
                                          GDALMCP_ABI_MAJOR,
                                          GDALMCP_ABI_MINOR,
                                          1,
                                          "org.gdal-mcp.test.tiny_000",
                                          "0.0.0000",
                                          "MIT",
                                          tools,
                                          NULL};
    (void)host_abi_minor;
    return &plugin;
}
