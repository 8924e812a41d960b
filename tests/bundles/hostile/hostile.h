/* What the hostile tools try, one function each. */
#ifndef GDALMCP_TEST_HOSTILE_H
#define GDALMCP_TEST_HOSTILE_H

#include "report.h"

#ifdef __cplusplus
extern "C" {
#endif

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
HOSTILE(hostile_nest);
HOSTILE(hostile_result);
HOSTILE(hostile_big);
HOSTILE(hostile_greedy);
HOSTILE(hostile_chatter);
HOSTILE(hostile_text);
HOSTILE(hostile_flood);
HOSTILE(hostile_words);
HOSTILE(hostile_silent);
HOSTILE(hostile_gdal_error);
HOSTILE(hostile_gdal_error_writing);
HOSTILE(hostile_frame);
HOSTILE(hostile_lingers);
HOSTILE(hostile_attempts);
HOSTILE(hostile_threads);

#ifdef __cplusplus
}
#endif
#endif
