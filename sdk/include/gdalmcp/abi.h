/* gdalmcp/abi.h — the whole contract between a gdal-mcp host and a plugin. C99, libc only.
 *
 * What a plugin is: a shared object that exports one function, gdalmcp_plugin_v1, which returns a table of tools.
 * How it runs: every call of a tool runs in a fresh, confined process made for it. The process may read the call's
 * inputs and the plugin's own bundle, and write the call's outputs and scratch folder; it has no network and starts no
 * programs. Static state therefore lives for one call only, and a crash takes nothing with it but the call.
 *
 * Rules
 *   Text      UTF-8, (pointer, size), not NUL-terminated unless the type is `const char *`. What the host hands out is
 *             borrowed: it lives until run() returns. What a plugin hands in is copied before the function returns. A
 *             NULL pointer is the empty text, everywhere and whatever the size: {NULL, 0} is {"", 0}.
 *   Memory    nothing is freed across the border; whoever allocates frees.
 *   Failures  no exception and no C++ type crosses. Functions return a status; run() returns the status of the call.
 *   Growth    structs grow at the end only and carry struct_size; enum values are never renumbered; functions are only
 *             appended. A new major is a new symbol (gdalmcp_plugin_v2), so that old and new can live in one file.
 *   Threads   each function names the threads that may call it: [call-thread] = the thread run() was called on;
 *             [any-thread] = any thread the plugin started, while run() has not returned.
 *   Pointers  `at` is a JSON Pointer (RFC 6901): "/z_factor", "/zones/0/name". "" is the whole document. A text that
 *             does not begin with '/', has a '~' before anything but 0 and 1, or is not UTF-8, is no pointer: nothing
 * is found there (GDALMCP_NOT_FOUND, GDALMCP_NULL), and nothing can be put there (GDALMCP_INVALID_ARGUMENT).
 */
#ifndef GDALMCP_ABI_H
#define GDALMCP_ABI_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define GDALMCP_ABI_MAJOR 1u /* a host refuses any other major */
#define GDALMCP_ABI_MINOR 2u /* additions only; host and plugin work with the smaller of the two */

#define GDALMCP_EXPORT __attribute__((visibility("default")))

typedef struct gdalmcp_str {
    const char* data;
    size_t size;
} gdalmcp_str;

/* Whose fault it is, and who can mend it. */
typedef enum gdalmcp_status {
    GDALMCP_OK = 0,
    GDALMCP_INVALID_ARGUMENT = 1, /* the caller's: an argument is wrong; the agent can mend the call */
    GDALMCP_NOT_FOUND = 2,        /* the caller's: a layer, field or band that is not there */
    GDALMCP_DENIED = 3,           /* the sandbox or a file permission refused */
    GDALMCP_UNSUPPORTED = 4,      /* this build, driver or kind of data cannot do it */
    GDALMCP_IO = 5,               /* reading or writing failed: damaged file, full disk */
    GDALMCP_CANCELLED = 6,        /* progress() said stop and the tool stopped */
    GDALMCP_EXHAUSTED = 7,        /* memory or another limit ran out */
    GDALMCP_INTERNAL = 8          /* a defect of the plugin */
} gdalmcp_status;

/* Behaviour promised to clients; bits. A tool that has an output argument is not READ_ONLY. */
typedef enum gdalmcp_behaviour {
    GDALMCP_READ_ONLY = 1,   /* writes nothing but what the host made for this call */
    GDALMCP_DESTRUCTIVE = 2, /* may replace or remove existing data (for example overwrite: true) */
    GDALMCP_IDEMPOTENT = 4,  /* the same call again changes nothing further */
    GDALMCP_OPEN_WORLD =
        8, /* a hint to clients: uses the network, which only `needs.network` and --allow-network open */
    GDALMCP_TASK_ONLY = 16 /* since 1.2: takes too long for a client that waits; runs only as a task of the client */
} gdalmcp_behaviour;

typedef enum gdalmcp_kind {
    GDALMCP_NULL = 0, /* absent, or JSON null */
    GDALMCP_BOOL = 1,
    GDALMCP_INTEGER = 2,
    GDALMCP_NUMBER = 3,
    GDALMCP_STRING = 4,
    GDALMCP_ARRAY = 5,
    GDALMCP_OBJECT = 6
} gdalmcp_kind;

typedef enum gdalmcp_attachment_kind {
    GDALMCP_TEXT = 1,    /* a further text block: media_type, text in bytes */
    GDALMCP_IMAGE = 2,   /* media_type image/png or image/jpeg, which the bytes must be (image/gif, image/webp and
                            image/svg+xml are known, too); keep it under 400 kB and 1024 px */
    GDALMCP_LINK = 3,    /* since 1.1: a page to read; bytes is its URI, which must begin with https:// and be printable
                            ASCII, at most 2048 bytes; media_type and description may be empty */
    GDALMCP_AUDIO = 4,   /* since 1.2: media_type audio/wav or another audio/ type; clients older than 2025-03-26 do not
                            get it */
    GDALMCP_RESOURCE = 5 /* since 1.2: the contents of a resource, under its `uri`; text where media_type is text/,
                            application/json or ends in +json, else bytes */
} gdalmcp_attachment_kind;

typedef struct gdalmcp_attachment {
    uint32_t struct_size;
    uint32_t kind; /* gdalmcp_attachment_kind */
    gdalmcp_str media_type;
    gdalmcp_str bytes; /* raw bytes; the host encodes them */
    /* since 1.1 */
    gdalmcp_str name;        /* of a link: what a person sees */
    gdalmcp_str description; /* of a link */
    /* since 1.2 */
    gdalmcp_str uri; /* of a resource: scheme and more, printable ASCII, at most 2048 bytes; a scheme of your own in
                        lower case, not the host's (query, catalog, metadata, reference, justification, methodology,
                        schema, receipts, history, bundles) and none that clients give a meaning (http, https, file,
                        data, javascript, ui and the like); not the URI of another bundle's resource */
} gdalmcp_attachment;

typedef struct gdalmcp_call gdalmcp_call; /* one tool call; owned by the host, dead when run() returns */

/* What the host offers to a running call. All functions [any-thread] unless said; never NULL up to struct_size. */
typedef struct gdalmcp_host {
    uint32_t struct_size;
    uint32_t abi_minor; /* the agreed minor */

    /* Arguments: already validated against the tool's input schema, with defaults filled in. A dataset argument arrives
     * as a path that GDAL can open, an output argument as a path to create (never one that exists); its extension says
     * which format is wanted. GDALMCP_NOT_FOUND: nothing there; GDALMCP_INVALID_ARGUMENT: another kind of value is
     * there. */
    int32_t (*get_kind)(gdalmcp_call*, gdalmcp_str at); /* gdalmcp_kind */
    gdalmcp_status (*get_bool)(gdalmcp_call*, gdalmcp_str at, int32_t* out);
    gdalmcp_status (*get_int)(gdalmcp_call*, gdalmcp_str at, int64_t* out);
    gdalmcp_status (*get_number)(gdalmcp_call*, gdalmcp_str at, double* out); /* integers too */
    gdalmcp_status (*get_string)(gdalmcp_call*, gdalmcp_str at, gdalmcp_str* out);
    gdalmcp_status (*get_size)(gdalmcp_call*, gdalmcp_str at, size_t* out);      /* members of an array or object */
    gdalmcp_status (*get_json)(gdalmcp_call*, gdalmcp_str at, gdalmcp_str* out); /* any value, as JSON text */

    /* The structured result, built in place; objects and arrays on the way are made ("/bands/-/mean" appends).
     * Numbers that are NaN or infinite become null. The result is an object: at "" only put_json can put one, in place
     * of all that was put before. GDALMCP_INVALID_ARGUMENT, and the result stays as it was: a scalar or a gap in an
     * array stands in the way, `at` is no pointer, the text is not JSON (nor is the empty one), or something else than
     * an object is put at "". */
    gdalmcp_status (*put_bool)(gdalmcp_call*, gdalmcp_str at, int32_t);
    gdalmcp_status (*put_int)(gdalmcp_call*, gdalmcp_str at, int64_t);
    gdalmcp_status (*put_number)(gdalmcp_call*, gdalmcp_str at, double);
    gdalmcp_status (*put_string)(gdalmcp_call*, gdalmcp_str at, gdalmcp_str);
    gdalmcp_status (*put_json)(gdalmcp_call*, gdalmcp_str at, gdalmcp_str json); /* any value, from JSON text */

    gdalmcp_status (*say)(gdalmcp_call*, gdalmcp_str text);  /* one line for people and models */
    gdalmcp_status (*warn)(gdalmcp_call*, gdalmcp_str text); /* joins the result's warnings[] */
    gdalmcp_status (*attach)(gdalmcp_call*, const gdalmcp_attachment*);

    /* A path for a scratch file that is gone after the call: "<scratch>/<name><suffix>". */
    gdalmcp_status (*new_scratch)(gdalmcp_call*, gdalmcp_str name, gdalmcp_str suffix, gdalmcp_str* path);

    /* What the output at `at` must look like when the host re-opens it in another process: JSON object with any of
     * crs (any spelling), width, height, bands, dtype, features. A difference fails the call. */
    gdalmcp_status (*expect)(gdalmcp_call*, gdalmcp_str at, gdalmcp_str json);

    /* fraction in [0,1]; returns 0 when the call was cancelled or ran out of time: stop, clean up, return
     * GDALMCP_CANCELLED. The shape of GDALProgressFunc. Cheap enough for every row. */
    int32_t (*progress)(gdalmcp_call*, double fraction, gdalmcp_str what);
    void (*log)(gdalmcp_call*, int32_t level, gdalmcp_str text); /* syslog levels 0..7; ends on the host's stderr, and
                                                                    with the client that wants to hear it */

    /* Says why run() is about to return something but GDALMCP_OK. `hint` tells the agent what to do next. The last word
     * counts. Without it the status alone is reported. What run() returns decides, not the status given here: another
     * failure is reported with this reason; after GDALMCP_OK the call has succeeded, and the reason is a warning of its
     * result. */
    void (*fail)(gdalmcp_call*, gdalmcp_status, gdalmcp_str message, gdalmcp_str hint);

    /* Abilities beyond this table, by id "gdalmcp.<name>/<revision>", drafts as "gdalmcp.<name>.draft/<n>".
     * NULL = not offered. The table behind it is documented with the id. */
    const void* (*extension)(gdalmcp_call*, const char* id);

    /* since 1.2: this call is going to take seconds to minutes. The host may then let the client go, and come back with
     * the result later. Said once is enough; said or not, the call runs on as it is. */
    void (*takes_long)(gdalmcp_call*);
} gdalmcp_host;

typedef struct gdalmcp_tool {
    uint32_t struct_size;
    uint32_t behaviour;        /* gdalmcp_behaviour bits */
    const char* name;          /* [a-z][a-z0-9_]{0,63} */
    const char* title;         /* for people; may be NULL */
    const char* description;   /* for models: at most 1000 characters, the rule first */
    const char* input_schema;  /* JSON Schema text, root an object; each property described. `x-gdalmcp` marks roles:
                                  input-raster, input-vector, input-any, output-raster, output-vector, output-table,
                                  output-any, crs, output-crs, geometry. `x-mcp-header` on a string, integer or boolean
                                  names a header that clients of a web server repeat the argument in */
    const char* output_schema; /* likewise for the structured result; NULL = text only */
    gdalmcp_status (*run)(const gdalmcp_host*, gdalmcp_call*, const void* self); /* [call-thread], once per process */
    const void* self;
} gdalmcp_tool;

typedef struct gdalmcp_plugin {
    uint32_t struct_size;
    uint32_t abi_major; /* GDALMCP_ABI_MAJOR of the header it was compiled with */
    uint32_t abi_minor;
    uint32_t tool_count;
    const char* id;      /* reverse DNS: "org.example.terrain" */
    const char* version; /* semantic version */
    const char* license; /* SPDX */
    const gdalmcp_tool* const* tools;
    const void* (*extension)(const char* id); /* what the plugin offers beyond tools; may be NULL */
} gdalmcp_plugin;

/* ---- Extensions ---------------------------------------------------------------------------------------------------
 * Offered through gdalmcp_host::extension. Their tables grow as the structs above do. */

/* GDALMCP_ASK_ID, since 1.2: asks the client in the middle of a call. All functions [any-thread].
 *
 * A call that asks is run in rounds. run() is executed from its beginning in each of them, in a process of its own,
 * with the answers so far: it looks for an answer, asks where there is none, and returns. While run() returns
 * GDALMCP_OK after it has asked (or put a state), the call is not done: what it put and wrote is thrown away, the
 * client is asked, and the next round begins. A call has at most 8 rounds. Whoever answers may also decline, or answer
 * anything. */
#define GDALMCP_ASK_ID "gdalmcp.ask/1"
typedef struct gdalmcp_ask {
    uint32_t struct_size;

    /* Whether this client can be asked: "elicitation" (a person, by a form), "sampling" (its model) or "roots" (its
     * folders). A call that asks what its client cannot answer fails. */
    int32_t (*can_ask)(gdalmcp_call*, gdalmcp_str what);

    /* Puts a question. name: the tool's own, 1 to 64 of [A-Za-z0-9_.-], not reason_… or second_look_…; method:
     * elicitation/create, sampling/createMessage or roots/list; params: JSON text of an object, as the protocol has it.
     * A form is flat: texts, numbers, booleans and choices, no patterns. The host fails a call that asks anything else.
     * The last word under a name counts. GDALMCP_INVALID_ARGUMENT: params is no object. */
    gdalmcp_status (*ask)(gdalmcp_call*, gdalmcp_str name, gdalmcp_str method, gdalmcp_str params);

    /* The answer to `name`, also of an earlier round: the value at the JSON Pointer `at` in what the client gave, for a
     * form {"action": "accept", "content": {…}}, or "decline", or "cancel". *kind is its gdalmcp_kind, *value the text
     * of a string, of anything else its JSON text; either may be NULL. It is the client's word and checked for nothing.
     * GDALMCP_NOT_FOUND: not answered, or nothing there. */
    gdalmcp_status (*answer)(gdalmcp_call*, gdalmcp_str name, gdalmcp_str at, int32_t* kind, gdalmcp_str* value);

    /* What the tool keeps between rounds: any JSON value, the last one put; answers are kept without it. The client
     * carries it and can read it, but not change it. A state that was put asks for another round, even without a
     * question. All that is kept has at most 64 KiB. get_state reads as `answer` does: what the round before put. */
    gdalmcp_status (*get_state)(gdalmcp_call*, gdalmcp_str at, int32_t* kind, gdalmcp_str* value);
    gdalmcp_status (*put_state)(gdalmcp_call*, gdalmcp_str json);
} gdalmcp_ask;

/* The one symbol a plugin exports; a function, because dlsym promises functions only. The result lives as long as the
 * library. NULL = cannot serve a host of this minor. [call-thread] */
GDALMCP_EXPORT const gdalmcp_plugin* gdalmcp_plugin_v1(uint32_t host_abi_minor);

#ifdef __cplusplus
}
#endif
#endif
