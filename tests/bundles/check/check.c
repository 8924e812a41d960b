/* Tools with one defect each, which `bundle check` must name; the first has none. */
#include <gdalmcp/abi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static gdalmcp_str text(const char* s) {
    const gdalmcp_str out = {s, strlen(s)};
    return out;
}

#define TOOL(name) static gdalmcp_status name(const gdalmcp_host* host, gdalmcp_call* call, const void* self)

/* A string argument, NUL-terminated. */
static const char* argument(const gdalmcp_host* host, gdalmcp_call* call, const char* at) {
    static char buffer[4096];
    gdalmcp_str s = {NULL, 0};
    if (host->get_string(call, text(at), &s) != GDALMCP_OK || s.size >= sizeof buffer) return "";
    memcpy(buffer, s.data, s.size);
    buffer[s.size] = 0;
    return buffer;
}

TOOL(check_sound) {
    (void)self;
    if (!host->progress(call, 0.5, text("half"))) return GDALMCP_CANCELLED;
    return host->put_int(call, text("/value"), 1);
}

TOOL(check_writes_beside) {
    char path[4200];
    FILE* file = NULL;
    (void)self;
    snprintf(path, sizeof path, "%s.index", argument(host, call, "/uri"));
    file = fopen(path, "w");
    if (file) fclose(file);
    return host->put_int(call, text("/value"), 1);
}

TOOL(check_crashes_on_empty) {
    gdalmcp_str s = {NULL, 0};
    (void)self;
    host->get_string(call, text("/text"), &s);
    if (s.size == 0) {
        volatile int* nowhere = NULL;
        *nowhere = 1;
    }
    return host->put_int(call, text("/value"), 1);
}

TOOL(check_undeclared) {
    (void)self;
    host->put_int(call, text("/surprise"), 1);
    return host->put_int(call, text("/value"), 1);
}

TOOL(check_never_ends) {
    volatile int forever = 1;
    (void)host;
    (void)call;
    (void)self;
    while (forever) {}
    return GDALMCP_OK;
}

TOOL(check_ignores_cancel) {
    (void)self;
    if (!host->progress(call, 0.1, text("begun")))
        for (;;) pause();
    usleep(200000); /* so that the word to stop arrives */
    if (!host->progress(call, 0.2, text("going on")))
        for (;;) pause();
    return host->put_int(call, text("/value"), 1);
}

TOOL(check_not_idempotent) {
    (void)self;
    return host->put_int(call, text("/value"), getpid());
}

TOOL(check_backwards) {
    (void)self;
    host->progress(call, 0.9, text("nearly"));
    host->progress(call, 0.1, text("or not"));
    return host->put_int(call, text("/value"), 1);
}

TOOL(check_bad_output) {
    FILE* file = fopen(argument(host, call, "/output"), "w");
    (void)self;
    if (!file) return GDALMCP_IO;
    fputs("This is not an image.\n", file);
    fclose(file);
    return host->put_int(call, text("/value"), 1);
}

/* Wants a file nobody gave it, and one beside its input. */
TOOL(check_reads_beside) {
    char path[4200];
    const char* uri = argument(host, call, "/uri");
    const char* name = strrchr(uri, '/');
    (void)self;
    snprintf(path, sizeof path, "%.*s/points.geojson", name ? (int)(name - uri) : 0, uri);
    for (int i = 0; i < 2; ++i) {
        FILE* file = fopen(i ? path : "/etc/shells", "r");
        if (file) fclose(file);
    }
    return host->put_int(call, text("/value"), 1);
}

TOOL(check_prints) {
    (void)self;
    printf("one line, and ");
    fflush(stdout);
    printf("a rest that is still buffered");
    return host->put_int(call, text("/value"), 1);
}

/* The end of the file that is given, which is none of the check's own. */
TOOL(check_wants_its_own) {
    const char* uri = argument(host, call, "/uri");
    const size_t size = strlen(uri);
    (void)self;
    if (size < 11 || strcmp(uri + size - 11, "special.asc") != 0) {
        host->fail(call, GDALMCP_UNSUPPORTED, text("this is no special raster"), text("give a special one"));
        return GDALMCP_UNSUPPORTED;
    }
    return host->put_int(call, text("/value"), 1);
}

TOOL(check_overwrites) {
    (void)self;
    return host->put_int(call, text("/value"), 1);
}

TOOL(check_refuses) {
    (void)self;
    host->fail(call, GDALMCP_INVALID_ARGUMENT, text("nothing is good enough"), text("give up"));
    return GDALMCP_INVALID_ARGUMENT;
}

/* Asks a form until it is accepted. */
static gdalmcp_status ask(const gdalmcp_host* host, gdalmcp_call* call, const char* form) {
    const gdalmcp_ask* asking = host->extension(call, GDALMCP_ASK_ID);
    gdalmcp_str action = {NULL, 0};
    if (!asking) return GDALMCP_UNSUPPORTED;
    if (asking->answer(call, text("name"), text("/action"), NULL, &action) == GDALMCP_OK && action.size == 6)
        return host->put_int(call, text("/value"), 1);
    return asking->ask(call, text("name"), text("elicitation/create"), text(form));
}

#define FORM(field) \
    "{\"message\":\"Who?\",\"requestedSchema\":{\"type\":\"object\",\"properties\":{\"name\":" field "}}}"

TOOL(check_asks) {
    (void)self;
    return ask(host, call, FORM("{\"type\":\"string\"}"));
}

TOOL(check_asks_badly) {
    (void)self;
    return ask(host, call, FORM("{\"type\":\"string\",\"pattern\":\"^A\"}"));
}

#define OBJECT(properties, required) \
    "{\"type\":\"object\",\"properties\":{" properties "},\"required\":[" required "],\"additionalProperties\":false}"
#define URI "\"uri\":{\"type\":\"string\",\"minLength\":1,\"x-gdalmcp\":\"input-raster\",\"description\":\"A raster.\"}"
#define OUTPUT                                                                                                   \
    "\"output\":{\"type\":\"string\",\"minLength\":1,\"x-gdalmcp\":\"output-raster\",\"description\":\"Path to " \
    "write.\"}"
#define SAID "\"text\":{\"type\":\"string\",\"description\":\"Any text.\"}"
#define LENGTH "\"length\":{\"type\":\"number\",\"minimum\":0,\"description\":\"How long it is.\"}"
#define OVERWRITE "\"overwrite\":{\"type\":\"boolean\",\"default\":false,\"description\":\"Replace what is there.\"}"
#define NOTHING OBJECT("", "")
#define READS (GDALMCP_READ_ONLY)

static const char result_schema[] =
    OBJECT("\"value\":{\"type\":\"integer\",\"description\":\"A number\"}", "\"value\"");

#define ENTRY(name, behaviour, input)         \
    static const gdalmcp_tool name##_tool = { \
        sizeof(gdalmcp_tool), behaviour, #name, NULL, "A test tool: " #name ".", input, result_schema, name, NULL}

ENTRY(check_sound, READS | GDALMCP_IDEMPOTENT, OBJECT(URI "," SAID, "\"uri\""));
ENTRY(check_writes_beside, READS, OBJECT(URI, "\"uri\""));
ENTRY(check_crashes_on_empty, READS, OBJECT(SAID, "\"text\""));
ENTRY(check_undeclared, READS, NOTHING);
ENTRY(check_never_ends, READS, NOTHING);
ENTRY(check_ignores_cancel, READS, NOTHING);
ENTRY(check_not_idempotent, READS | GDALMCP_IDEMPOTENT, OBJECT(LENGTH, ""));
ENTRY(check_backwards, READS, NOTHING);
ENTRY(check_bad_output, GDALMCP_DESTRUCTIVE, OBJECT(URI "," OUTPUT, "\"uri\""));
ENTRY(check_reads_beside, READS, OBJECT(URI, "\"uri\""));
ENTRY(check_prints, READS, NOTHING);
ENTRY(check_wants_its_own, READS, OBJECT(URI, "\"uri\""));
ENTRY(check_overwrites, GDALMCP_OPEN_WORLD, OBJECT(OVERWRITE, ""));
ENTRY(check_refuses, READS, NOTHING);
ENTRY(check_asks, READS, NOTHING);
ENTRY(check_asks_badly, READS, NOTHING);

const gdalmcp_plugin* gdalmcp_plugin_v1(uint32_t host_abi_minor) {
    static const gdalmcp_tool* const tools[] = {
        &check_sound_tool,      &check_writes_beside_tool,  &check_crashes_on_empty_tool, &check_undeclared_tool,
        &check_never_ends_tool, &check_ignores_cancel_tool, &check_not_idempotent_tool,   &check_backwards_tool,
        &check_bad_output_tool, &check_overwrites_tool,     &check_refuses_tool,          &check_asks_tool,
        &check_asks_badly_tool, &check_reads_beside_tool,   &check_prints_tool,           &check_wants_its_own_tool};
    static const gdalmcp_plugin plugin = {sizeof(gdalmcp_plugin),
                                          GDALMCP_ABI_MAJOR,
                                          GDALMCP_ABI_MINOR,
                                          (uint32_t)(sizeof tools / sizeof *tools),
                                          "org.gdal-mcp.test.check",
                                          "1.0.0",
                                          "MIT",
                                          tools,
                                          NULL};
    (void)host_abi_minor;
    return &plugin;
}
