/* Answers a host must not pass on, and noise on standard output. */
#include <cpl_error.h>
#include <gdal.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hostile.h"

HOSTILE(hostile_print) {
    BEGIN;
    printf("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"printed\":true}}\n");
    fflush(stdout);
    attempted(c, "write", write(1, "hostile\n", 8) == 8 ? 0 : 1);
    GDALTermProgress(0.5, NULL, NULL);
    GDALTermProgress(1.0, NULL, NULL);
    return report(c);
}

HOSTILE(hostile_result) {
    BEGIN;
    host->put_string(call, text("/errno"), text("a string where an integer was promised"));
    (void)c;
    return GDALMCP_OK;
}

HOSTILE(hostile_big) {
    BEGIN;
    const size_t size = (size_t)2 << 20;
    char* big = malloc(size);
    gdalmcp_str s = {big, size};
    if (!big) return GDALMCP_EXHAUSTED;
    memset(big, 'x', size);
    host->put_string(call, text("/text"), s);
    free(big);
    return report(c);
}

HOSTILE(hostile_text) {
    BEGIN;
    static const char bad[] = "M\xfcnchen \xed\xa0\x80 \x01";
    host->put_string(call, text("/text"), text(bad));
    host->put_number(call, text("/attempts/nan"), NAN);
    host->put_number(call, text("/attempts/infinite"), HUGE_VAL);
    host->say(call, text(bad));
    host->warn(call, text(bad));
    return report(c);
}

/* Fails without a word. */
HOSTILE(hostile_silent) {
    BEGIN;
    (void)c;
    return GDALMCP_INVALID_ARGUMENT;
}

/* Says that all is well while GDAL says that it is not. */
HOSTILE(hostile_gdal_error) {
    BEGIN;
    CPLError(CE_Failure, CPLE_AppDefined, "half of the tiles are missing");
    return report(c);
}

/* The same, of a tool that writes. */
HOSTILE(hostile_gdal_error_writing) {
    BEGIN;
    CPLError(CE_Failure, CPLE_AppDefined, "half of the tiles are missing");
    return report(c);
}

/* Sends its own frame on every descriptor it finds. An empty frame stands for bytes that are none. */
static void speak_for_the_worker(hostile_call* c) {
    const char* frame = string_argument(c, "/frame");
    const uint32_t size = *frame ? (uint32_t)strlen(frame) : 0xffffffffu;
    int fd;
    for (fd = 3; fd < 64; ++fd)
        if (write(fd, &size, sizeof size) == (ssize_t)sizeof size &&
            write(fd, *frame ? frame : "noise", *frame ? size : 5) < 0)
            attempted(c, "write", 1);
}

HOSTILE(hostile_frame) {
    BEGIN;
    speak_for_the_worker(c);
    _exit(0);
}

/* Answers in the worker's place and stays. */
HOSTILE(hostile_lingers) {
    BEGIN;
    speak_for_the_worker(c);
    for (;;) pause();
}
