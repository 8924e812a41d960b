/* gdalmcp/abi.h — the whole contract between a gdal-mcp host and a plugin. C99, libc only.
 *
 * A plugin is a shared object that exports one function, gdalmcp_plugin_v1, which returns a table of tools. Every tool
 * call runs in a fresh, confined process of its own. The process may read the call's inputs and the plugin's own
 * bundle, and write the call's outputs and scratch folder; it has no network and starts no programs. Static state
 * therefore lives for one call only, and a crash ends nothing but the call.
 *
 * Rules
 * - Text: UTF-8, (pointer, size), not NUL-terminated unless the type is `const char *`. Text from the host is borrowed:
 *   it is valid until run() returns. Text from the plugin is copied before the function returns. A NULL pointer is the
 *   empty text, whatever the size: {NULL, 0} is {"", 0}.
 * - Memory: each side frees what it allocates.
 * - Failures: exceptions and C++ types must not cross the boundary. Functions return a status; run() returns the status
 *   of the call.
 * - Growth: structs grow at the end only and carry struct_size; enum values are never renumbered; functions are only
 *   appended. A new major is a new symbol (gdalmcp_plugin_v2), so that old and new can live in one file.
 * - Threads: each function names the threads that may call it: [call-thread] = the thread run() was called on;
 *   [any-thread] = any thread the plugin started, while run() has not returned.
 * - Pointers: `at` is a JSON Pointer (RFC 6901): "/z_factor", "/zones/0/name". "" is the whole document. Any other text
 *   that does not begin with '/', has a '~' not followed by 0 or 1, or is not UTF-8, is not a pointer: reading it gives
 *   GDALMCP_NOT_FOUND or GDALMCP_NULL, writing to it GDALMCP_INVALID_ARGUMENT.
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

/* Who caused a failure, and who can fix it. */
typedef enum gdalmcp_status {
    GDALMCP_OK = 0,
    GDALMCP_INVALID_ARGUMENT = 1, /* the caller: an argument is wrong; the agent can correct the call */
    GDALMCP_NOT_FOUND = 2,        /* the caller: a layer, field or band does not exist */
    GDALMCP_DENIED = 3,           /* the sandbox or a file permission refused */
    GDALMCP_UNSUPPORTED = 4,      /* this build, driver or kind of data cannot do it */
    GDALMCP_IO = 5,               /* reading or writing failed: damaged file, full disk */
    GDALMCP_CANCELLED = 6,        /* progress() returned 0 and the tool stopped */
    GDALMCP_EXHAUSTED = 7,        /* memory or another limit ran out */
    GDALMCP_INTERNAL = 8          /* a defect of the plugin */
} gdalmcp_status;

/* Behaviour declared to clients; bits. A tool with an output argument is not READ_ONLY. */
typedef enum gdalmcp_behaviour {
    GDALMCP_READ_ONLY = 1,   /* writes nothing but what the host made for this call */
    GDALMCP_DESTRUCTIVE = 2, /* may replace or remove existing data (for example overwrite: true) */
    GDALMCP_IDEMPOTENT = 4,  /* the same call again changes nothing further */
    GDALMCP_OPEN_WORLD =
        8, /* a hint to clients: uses the network; access requires `needs.network` and --allow-network */
    GDALMCP_TASK_ONLY = 16 /* since 1.2: takes too long for a waiting client; runs only as a task of the client */
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
    GDALMCP_IMAGE = 2,   /* media_type image/png or image/jpeg, matching the bytes (image/gif, image/webp and
                            image/svg+xml are accepted, too); keep it under 400 kB and 1024 px */
    GDALMCP_LINK = 3,    /* since 1.1: a page to read; bytes is its URI, which must begin with https:// and be printable
                            ASCII, at most 2048 bytes; media_type and description may be empty */
    GDALMCP_AUDIO = 4,   /* since 1.2: media_type audio/wav or another audio/ type; not for clients before 2025-03-26 */
    GDALMCP_RESOURCE = 5 /* since 1.2: the contents of a resource, under its `uri`; text if media_type is text/,
                            application/json or ends in +json, else bytes */
} gdalmcp_attachment_kind;

typedef struct gdalmcp_attachment {
    uint32_t struct_size;
    uint32_t kind; /* gdalmcp_attachment_kind */
    gdalmcp_str media_type;
    gdalmcp_str bytes; /* raw bytes; the host encodes them */
    /* since 1.1 */
    gdalmcp_str name;        /* of a link: its label */
    gdalmcp_str description; /* of a link */
    /* since 1.2 */
    gdalmcp_str uri; /* of a resource: scheme and more, printable ASCII, at most 2048 bytes; a scheme of your own in
                        lower case, not the host's (query, catalog, metadata, reference, justification, methodology,
                        schema, receipts, history, bundles) and none with a meaning to clients (http, https, file,
                        data, javascript, ui and the like); not the URI of another bundle's resource */
} gdalmcp_attachment;

typedef struct gdalmcp_call gdalmcp_call; /* one tool call; owned by the host, invalid once run() returns */

/* Functions of the host for a running call. All are [any-thread] unless noted; never NULL up to struct_size. */
typedef struct gdalmcp_host {
    uint32_t struct_size;
    uint32_t abi_minor; /* the agreed minor */

    /* Arguments: already validated against the tool's input schema, with defaults filled in. A dataset argument arrives
     * as a path that GDAL can open, an output argument as a path to create (never one that exists); its extension gives
     * the format. GDALMCP_NOT_FOUND: no value there; GDALMCP_INVALID_ARGUMENT: the value is of another kind. */
    int32_t (*get_kind)(gdalmcp_call*, gdalmcp_str at); /* gdalmcp_kind */
    gdalmcp_status (*get_bool)(gdalmcp_call*, gdalmcp_str at, int32_t* out);
    gdalmcp_status (*get_int)(gdalmcp_call*, gdalmcp_str at, int64_t* out);
    gdalmcp_status (*get_number)(gdalmcp_call*, gdalmcp_str at, double* out); /* integers too */
    gdalmcp_status (*get_string)(gdalmcp_call*, gdalmcp_str at, gdalmcp_str* out);
    gdalmcp_status (*get_size)(gdalmcp_call*, gdalmcp_str at, size_t* out);      /* members of an array or object */
    gdalmcp_status (*get_json)(gdalmcp_call*, gdalmcp_str at, gdalmcp_str* out); /* any value, as JSON text */

    /* The structured result, built in place; intermediate objects and arrays are created ("/bands/-/mean" appends).
     * Numbers that are NaN or infinite become null. The result is an object: only put_json can write to "", replacing
     * everything put before. GDALMCP_INVALID_ARGUMENT, leaving the result unchanged: a scalar or a gap in an array is
     * in the way, `at` is not a pointer, the text is not JSON (the empty text is not), or a value other than an object
     * is put at "". */
    gdalmcp_status (*put_bool)(gdalmcp_call*, gdalmcp_str at, int32_t);
    gdalmcp_status (*put_int)(gdalmcp_call*, gdalmcp_str at, int64_t);
    gdalmcp_status (*put_number)(gdalmcp_call*, gdalmcp_str at, double);
    gdalmcp_status (*put_string)(gdalmcp_call*, gdalmcp_str at, gdalmcp_str);
    gdalmcp_status (*put_json)(gdalmcp_call*, gdalmcp_str at, gdalmcp_str json); /* any value, from JSON text */

    gdalmcp_status (*say)(gdalmcp_call*, gdalmcp_str text);  /* one line for people and models */
    gdalmcp_status (*warn)(gdalmcp_call*, gdalmcp_str text); /* added to the result's warnings[] */
    gdalmcp_status (*attach)(gdalmcp_call*, const gdalmcp_attachment*);

    /* A path for a scratch file that is deleted after the call: "<scratch>/<name><suffix>". */
    gdalmcp_status (*new_scratch)(gdalmcp_call*, gdalmcp_str name, gdalmcp_str suffix, gdalmcp_str* path);

    /* What the output at `at` must look like when the host re-opens it in another process: JSON object with any of
     * crs (any spelling), width, height, bands, dtype, features. A difference fails the call. */
    gdalmcp_status (*expect)(gdalmcp_call*, gdalmcp_str at, gdalmcp_str json);

    /* fraction in [0,1]; returns 0 when the call was cancelled or timed out: stop, clean up, return GDALMCP_CANCELLED.
     * Same convention as GDALProgressFunc. Cheap enough to call for every row. */
    int32_t (*progress)(gdalmcp_call*, double fraction, gdalmcp_str what);
    void (*log)(gdalmcp_call*, int32_t level, gdalmcp_str text); /* syslog levels 0..7; goes to the host's stderr and to
                                                                    the client that requested that level */

    /* Gives the reason before run() returns a status other than GDALMCP_OK. `hint` is the next step for the agent. The
     * last call wins. Without it only the status is reported. The status run() returns decides, not the one given here:
     * another failure is reported with this reason; after GDALMCP_OK the call has succeeded, and the reason becomes a
     * warning of its result. */
    void (*fail)(gdalmcp_call*, gdalmcp_status, gdalmcp_str message, gdalmcp_str hint);

    /* Functions beyond this table, by id "gdalmcp.<name>/<revision>", drafts as "gdalmcp.<name>.draft/<n>".
     * NULL = not offered. The table is documented with its id. */
    const void* (*extension)(gdalmcp_call*, const char* id);

    /* since 1.2: announces that this call takes seconds to minutes. The host may then release the client and deliver
     * the result later. One announcement is enough; the call itself runs on unchanged either way. */
    void (*takes_long)(gdalmcp_call*);
} gdalmcp_host;

typedef struct gdalmcp_tool {
    uint32_t struct_size;
    uint32_t behaviour;        /* gdalmcp_behaviour bits */
    const char* name;          /* [a-z][a-z0-9_]{0,63} */
    const char* title;         /* for people; may be NULL */
    const char* description;   /* for models: at most 1000 characters, the main rule first */
    const char* input_schema;  /* JSON Schema text of an object; every property has a description. `x-gdalmcp` marks
                                  roles: input-raster, input-vector, input-any, output-raster, output-vector,
                                  output-table, output-any, crs, output-crs, geometry. Beside an output role,
                                  `x-gdalmcp-managed` names the file of a result that the caller gives no path for
                                  ("result.vrt"), `x-gdalmcp-beside` one that lies beside the first input:
                                  "{name}.ovr" of dem.tif is dem.tif.ovr, "{stem}.qix" of roads.shp is roads.qix. A
                                  boolean `drop` removes that file instead, when the call has succeeded.
                                  `x-mcp-header` on a string, integer or boolean names the HTTP header in which clients
                                  repeat the argument */
    const char* output_schema; /* likewise for the structured result; NULL = text only. The role uri-of-output marks a
                                  text that the host fills in with the URI of the output */
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
    const void* (*extension)(const char* id); /* what the plugin offers besides tools; may be NULL */
} gdalmcp_plugin;

/* ---- Extensions ---------------------------------------------------------------------------------------------------
 * Offered through gdalmcp_host::extension. Their tables grow like the structs above. */

/* GDALMCP_ASK_ID, since 1.2: asks the client in the middle of a call. All functions [any-thread].
 *
 * A call that asks runs in rounds. Each round executes run() from its beginning, in a process of its own, with the
 * answers so far: it looks for an answer, asks if there is none, and returns. If run() asked (or put a state) and
 * returns GDALMCP_OK, the call is not done: the round's results and files are discarded, the client is asked, and the
 * next round begins. A call has at most 8 rounds. The client may also decline, or answer anything. */
#define GDALMCP_ASK_ID "gdalmcp.ask/1"
typedef struct gdalmcp_ask {
    uint32_t struct_size;

    /* Whether this client can be asked: "elicitation" (a person, by a form), "sampling" (its model) or "roots" (its
     * folders). A call that asks for anything else fails. */
    int32_t (*can_ask)(gdalmcp_call*, gdalmcp_str what);

    /* Puts a question. name: the tool's own, 1 to 64 of [A-Za-z0-9_.-], not reason_… or second_look_…; method:
     * elicitation/create, sampling/createMessage or roots/list; params: JSON text of an object, as the protocol defines
     * it. A form is flat: texts, numbers, booleans and choices, no patterns. The host fails a call that asks anything
     * else. The last question under a name wins. GDALMCP_INVALID_ARGUMENT: params is not an object. */
    gdalmcp_status (*ask)(gdalmcp_call*, gdalmcp_str name, gdalmcp_str method, gdalmcp_str params);

    /* The answer to `name`, from this or an earlier round: the value at the JSON Pointer `at` in the client's answer,
     * which for a form is {"action": "accept", "content": {…}}, or "decline", or "cancel". *kind is its gdalmcp_kind,
     * *value the text of a string, or the JSON text of any other value; either may be NULL. The answer is not
     * validated. GDALMCP_NOT_FOUND: not answered, or no value there. */
    gdalmcp_status (*answer)(gdalmcp_call*, gdalmcp_str name, gdalmcp_str at, int32_t* kind, gdalmcp_str* value);

    /* State of the tool between rounds: any JSON value, the last one put; answers are kept anyway. The client carries
     * the state and can read it, but not change it. Putting a state starts another round, even without a question.
     * Everything kept has at most 64 KiB. get_state reads like `answer`: the state put by the previous
     * round. */
    gdalmcp_status (*get_state)(gdalmcp_call*, gdalmcp_str at, int32_t* kind, gdalmcp_str* value);
    gdalmcp_status (*put_state)(gdalmcp_call*, gdalmcp_str json);
} gdalmcp_ask;

/* The one symbol a plugin exports; a function, because dlsym is specified for functions only. The result is valid while
 * the library is loaded. NULL = cannot serve a host of this minor. [call-thread] */
GDALMCP_EXPORT const gdalmcp_plugin* gdalmcp_plugin_v1(uint32_t host_abi_minor);

#ifdef __cplusplus
}
#endif
#endif
