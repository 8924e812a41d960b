/* What tools that try things share: arguments, schemas, and the truthful report of what succeeded. */
#ifndef GDALMCP_TEST_REPORT_H
#define GDALMCP_TEST_REPORT_H

#include <gdalmcp/abi.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hostile_call {
    const gdalmcp_host* host;
    gdalmcp_call* call;
    int attempts;
    int worst; /* 0 as soon as one attempt succeeded, else the errno of the first */
} hostile_call;

/* Notes one way that was tried: error = 0 means that it worked. */
void attempted(hostile_call*, const char* what, int error);
/* The outcome of a function that returns -1 and sets errno. */
void tried(hostile_call*, const char* what, long returned);
/* Puts the report; the status to return from run(). */
gdalmcp_status report(hostile_call*);

gdalmcp_str text(const char*);
/* A string argument, NUL-terminated, in a static buffer for each of the first four callers. */
const char* string_argument(hostile_call*, const char* at);
int64_t integer_argument(hostile_call*, const char* at);

#define HOSTILE(name) gdalmcp_status name(const gdalmcp_host* host, gdalmcp_call* call, const void* self)
#define BEGIN                                    \
    hostile_call this_call = {host, call, 0, 0}; \
    hostile_call* const c = &this_call;          \
    (void)self

/* Of a report. */
extern const char report_schema[];

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

#define ANY_INPUT \
    "\"input\":{\"type\":\"string\",\"minLength\":1,\"x-gdalmcp\":\"input-any\",\"description\":\"What to read.\"}"

/* A tool called `name`, run by `function`, which reports. */
#define TOOL_RUN_BY(function, name, behaviour, input) \
    static const gdalmcp_tool name##_tool = {         \
        sizeof(gdalmcp_tool), behaviour, #name, NULL, "A test tool: " #name ".", input, report_schema, function, NULL}
#define TOOL(name, behaviour, input) TOOL_RUN_BY(name, name, behaviour, input)

/* `tools`: an array of pointers with static storage. */
#define PLUGIN(id, tools)                                                               \
    const gdalmcp_plugin* gdalmcp_plugin_v1(uint32_t host_abi_minor) {                  \
        static const gdalmcp_plugin plugin = {sizeof(gdalmcp_plugin),                   \
                                              GDALMCP_ABI_MAJOR,                        \
                                              GDALMCP_ABI_MINOR,                        \
                                              (uint32_t)(sizeof tools / sizeof *tools), \
                                              id,                                       \
                                              "1.0.0",                                  \
                                              "MIT",                                    \
                                              tools,                                    \
                                              NULL};                                    \
        (void)host_abi_minor;                                                           \
        return &plugin;                                                                 \
    }

#ifdef __cplusplus
}
#endif
#endif
