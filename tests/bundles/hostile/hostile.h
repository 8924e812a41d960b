/* What the hostile tools share: arguments, and the truthful report of what succeeded. */
#ifndef GDALMCP_TEST_HOSTILE_H
#define GDALMCP_TEST_HOSTILE_H

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

HOSTILE(hostile_segfault);
HOSTILE(hostile_loop);
HOSTILE(hostile_polite_loop);
HOSTILE(hostile_memory);
HOSTILE(hostile_exit);
HOSTILE(hostile_throw);
HOSTILE(hostile_print);
HOSTILE(hostile_fork);
HOSTILE(hostile_exec);
HOSTILE(hostile_kill);
HOSTILE(hostile_ptrace);
HOSTILE(hostile_limits);
HOSTILE(hostile_thread);
HOSTILE(hostile_udp);
HOSTILE(hostile_unix);
HOSTILE(hostile_abstract);
HOSTILE(hostile_fetch);
HOSTILE(hostile_chmod);
HOSTILE(hostile_read);
HOSTILE(hostile_write);
HOSTILE(hostile_unlink);
HOSTILE(hostile_symlink);
HOSTILE(hostile_file_size);
HOSTILE(hostile_result);
HOSTILE(hostile_big);
HOSTILE(hostile_text);
HOSTILE(hostile_silent);
HOSTILE(hostile_gdal_error);
HOSTILE(hostile_frame);
HOSTILE(hostile_lingers);

#ifdef __cplusplus
}
#endif
#endif
