/* The table of hostile tools, and their report. */
#include "hostile.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

gdalmcp_str text(const char* s) {
    const gdalmcp_str out = {s, strlen(s)};
    return out;
}

void attempted(hostile_call* c, const char* what, int error) {
    char at[64];
    snprintf(at, sizeof at, "/attempts/%s", what);
    c->host->put_int(c->call, text(at), error);
    if (c->attempts++ == 0 || error == 0) c->worst = error;
}

void tried(hostile_call* c, const char* what, long returned) { attempted(c, what, returned < 0 ? errno : 0); }

gdalmcp_status report(hostile_call* c) { return c->host->put_int(c->call, text("/errno"), c->worst); }

const char* string_argument(hostile_call* c, const char* at) {
    static char buffers[4][4096];
    static int used;
    char* buffer = buffers[used++ % 4];
    gdalmcp_str s = {NULL, 0};
    if (c->host->get_string(c->call, text(at), &s) != GDALMCP_OK || s.size >= sizeof buffers[0]) return "";
    memcpy(buffer, s.data, s.size);
    buffer[s.size] = 0;
    return buffer;
}

int64_t integer_argument(hostile_call* c, const char* at) {
    int64_t out = 0;
    c->host->get_int(c->call, text(at), &out);
    return out;
}

#define OBJECT(properties, required) \
    "{\"type\":\"object\",\"properties\":{" properties "},\"required\":[" required "],\"additionalProperties\":false}"
#define NOTHING OBJECT("", "")
#define STRING(name) "\"" name "\":{\"type\":\"string\",\"description\":\"What to reach for.\"}"
#define INTEGER(name) "\"" name "\":{\"type\":\"integer\",\"description\":\"What to reach for.\"}"
#define ONE_STRING(name) OBJECT(STRING(name), "\"" name "\"")
#define ONE_INTEGER(name) OBJECT(INTEGER(name), "\"" name "\"")
#define OUTPUT                                                                                         \
    "\"output\":{\"type\":\"string\",\"minLength\":1,\"x-gdalmcp\":\"output-vector\",\"description\":" \
    "\"Path to write.\"}"

static const char result_schema[] = OBJECT(
    "\"errno\":{\"type\":\"integer\",\"description\":\"0 when an attempt succeeded, else the first errno\"},"
    "\"attempts\":{\"type\":\"object\",\"description\":\"errno of every way that was tried, 0 = it worked\"},"
    "\"text\":{\"type\":\"string\",\"description\":\"What was read\"},"
    "\"bytes\":{\"type\":\"integer\",\"description\":\"How much was got or written [bytes]\"}",
    "\"errno\"");

#define TOOL(name, behaviour, input)          \
    static const gdalmcp_tool name##_tool = { \
        sizeof(gdalmcp_tool), behaviour, #name, NULL, "A test tool: " #name ".", input, result_schema, name, NULL}

TOOL(hostile_segfault, GDALMCP_READ_ONLY, NOTHING);
TOOL(hostile_loop, GDALMCP_READ_ONLY, NOTHING);
TOOL(hostile_polite_loop, GDALMCP_READ_ONLY, NOTHING);
TOOL(hostile_memory, GDALMCP_READ_ONLY, NOTHING);
TOOL(hostile_exit, GDALMCP_READ_ONLY, NOTHING);
TOOL(hostile_throw, GDALMCP_READ_ONLY, NOTHING);
TOOL(hostile_print, GDALMCP_READ_ONLY, NOTHING);
TOOL(hostile_fork, GDALMCP_READ_ONLY, NOTHING);
TOOL(hostile_exec, GDALMCP_READ_ONLY, ONE_STRING("path"));
TOOL(hostile_kill, GDALMCP_READ_ONLY, ONE_INTEGER("pid"));
TOOL(hostile_ptrace, GDALMCP_READ_ONLY, ONE_INTEGER("pid"));
TOOL(hostile_limits, GDALMCP_READ_ONLY, NOTHING);
TOOL(hostile_thread, GDALMCP_READ_ONLY, NOTHING);
TOOL(hostile_udp, GDALMCP_READ_ONLY, ONE_INTEGER("port"));
TOOL(hostile_unix, GDALMCP_READ_ONLY, ONE_STRING("path"));
TOOL(hostile_abstract, GDALMCP_READ_ONLY, ONE_STRING("name"));
TOOL(hostile_fetch, GDALMCP_READ_ONLY, ONE_STRING("url"));
TOOL(hostile_chmod, GDALMCP_READ_ONLY, ONE_STRING("path"));
TOOL(hostile_read, GDALMCP_READ_ONLY, ONE_STRING("path"));
TOOL(hostile_write, GDALMCP_READ_ONLY, ONE_STRING("path"));
TOOL(hostile_unlink, GDALMCP_READ_ONLY, ONE_STRING("path"));
TOOL(hostile_symlink, GDALMCP_DESTRUCTIVE, OBJECT(STRING("target") "," OUTPUT, "\"target\""));
TOOL(hostile_file_size, GDALMCP_DESTRUCTIVE, OBJECT(INTEGER("at") "," OUTPUT, "\"at\""));
TOOL(hostile_result, GDALMCP_READ_ONLY, NOTHING);
TOOL(hostile_big, GDALMCP_READ_ONLY, NOTHING);
TOOL(hostile_text, GDALMCP_READ_ONLY, NOTHING);
TOOL(hostile_silent, GDALMCP_READ_ONLY, NOTHING);
TOOL(hostile_gdal_error, GDALMCP_READ_ONLY, NOTHING);
TOOL(hostile_frame, GDALMCP_DESTRUCTIVE, OBJECT(STRING("frame") "," OUTPUT, "\"frame\""));
TOOL(hostile_lingers, GDALMCP_READ_ONLY, ONE_STRING("frame"));

const gdalmcp_plugin* gdalmcp_plugin_v1(uint32_t host_abi_minor) {
    static const gdalmcp_tool* const tools[] = {
        &hostile_segfault_tool, &hostile_loop_tool,    &hostile_polite_loop_tool, &hostile_memory_tool,
        &hostile_exit_tool,     &hostile_throw_tool,   &hostile_print_tool,       &hostile_fork_tool,
        &hostile_exec_tool,     &hostile_kill_tool,    &hostile_ptrace_tool,      &hostile_limits_tool,
        &hostile_thread_tool,   &hostile_udp_tool,     &hostile_unix_tool,        &hostile_abstract_tool,
        &hostile_fetch_tool,    &hostile_chmod_tool,   &hostile_read_tool,        &hostile_write_tool,
        &hostile_unlink_tool,   &hostile_symlink_tool, &hostile_file_size_tool,   &hostile_result_tool,
        &hostile_big_tool,      &hostile_text_tool,    &hostile_silent_tool,      &hostile_gdal_error_tool,
        &hostile_frame_tool,    &hostile_lingers_tool};
    static const gdalmcp_plugin plugin = {sizeof(gdalmcp_plugin),
                                          GDALMCP_ABI_MAJOR,
                                          GDALMCP_ABI_MINOR,
                                          (uint32_t)(sizeof tools / sizeof *tools),
                                          "org.gdal-mcp.test.hostile",
                                          "1.0.0",
                                          "MIT",
                                          tools,
                                          NULL};
    (void)host_abi_minor;
    return &plugin;
}
