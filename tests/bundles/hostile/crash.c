/* Ways not to come back. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "hostile.h"

HOSTILE(hostile_segfault) {
    BEGIN;
    volatile int* nowhere = NULL;
    *nowhere = 1;
    return report(c);
}

HOSTILE(hostile_loop) {
    BEGIN;
    volatile int forever = 1;
    while (forever) {}
    return report(c);
}

HOSTILE(hostile_polite_loop) {
    BEGIN;
    const struct timespec pause = {0, 5000000};
    double fraction = 0;
    while (host->progress(call, fraction, text("looping"))) {
        fraction += (1 - fraction) * 0.01;
        nanosleep(&pause, NULL);
    }
    (void)c;
    return GDALMCP_CANCELLED;
}

HOSTILE(hostile_memory) {
    BEGIN;
    const size_t chunk = (size_t)64 << 20;
    int64_t got = 0;
    static char* volatile one; /* volatile: or the compiler sees that nobody reads it */
    while ((one = malloc(chunk)) != NULL) {
        memset(one, 1, chunk); /* touched, so that it counts */
        got += (int64_t)chunk;
    }
    attempted(c, "malloc", errno);
    host->put_int(call, text("/bytes"), got);
    return report(c);
}

HOSTILE(hostile_exit) {
    BEGIN;
    (void)c;
    exit(0);
}
