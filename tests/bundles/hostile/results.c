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

/* More than there is memory for, in pieces that each fit, and then success. */
HOSTILE(hostile_greedy) {
    BEGIN;
    const size_t size = (size_t)100 << 20;
    char* big = malloc(size);
    gdalmcp_str s = {big, size};
    if (!big) return GDALMCP_EXHAUSTED;
    memset(big, 'x', size);
    for (int i = 0; i < 20; ++i) host->say(call, s);
    free(big);
    return report(c);
}

/* Much in small pieces, overlooking that it is refused. */
HOSTILE(hostile_chatter) {
    BEGIN;
    static char kilobyte[1 << 10];
    memset(kilobyte, 'x', sizeof kilobyte);
    const gdalmcp_str piece = {kilobyte, sizeof kilobyte};
    char pointer[200] = "";
    gdalmcp_str how = {0};
    host->get_string(call, text("/how"), &how);
    const char way = how.size ? how.data[0] : ' ';
    gdalmcp_attachment a = {sizeof a, GDALMCP_TEXT, text("text/plain"), piece, {0}, {0}, {0}};
    if (way == 'f') {
        static char reason[1 << 20];
        memset(reason, 'x', sizeof reason);
        host->fail(call, GDALMCP_INTERNAL, (gdalmcp_str){reason, sizeof reason}, text(""));
        return GDALMCP_INTERNAL;
    }
    if (way == 'd') {
        for (int i = 0; i < 80; ++i) strcat(pointer, "/a");
        return host->put_int(call, text(pointer), 1) == GDALMCP_INVALID_ARGUMENT ? report(c) : GDALMCP_INTERNAL;
    }
    for (int i = 0; i < 20000; ++i) {
        if (way == 's') host->say(call, piece);
        if (way == 'w') host->warn(call, piece);
        if (way == 'a') host->attach(call, &a);
        if (way == 'p') host->put_string(call, text("/text"), piece);
    }
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

/* 64 MiB on standard error, or in lines of the log. */
HOSTILE(hostile_flood) {
    BEGIN;
    static char line[8192];
    const gdalmcp_str said = {line, sizeof line - 1};
    const int print = strcmp(string_argument(c, "/how"), "print") == 0;
    int i;
    memset(line, 'x', sizeof line - 1);
    line[sizeof line - 1] = '\n';
    for (i = 0; i < 8192; ++i) {
        if (!print)
            host->log(call, 6, said);
        else if (write(i % 2 + 1, line, sizeof line) < 0)
            attempted(c, "write", 1);
    }
    return report(c);
}

/* Says with ESC, a right-to-left override and tags what it says; fails with it where that is asked for. */
HOSTILE(hostile_words) {
    BEGIN;
    static const char words[] = "\x1b[2Jok\xe2\x80\xae\xf3\xa0\x81\x81";
    host->say(call, text(words));
    host->warn(call, text(words));
    host->log(call, 4, text(words));
    host->progress(call, 0.5, text(words));
    host->put_string(call, text("/text"), text(words));
    fprintf(stderr, "%s\n", words);
    if (strcmp(string_argument(c, "/how"), "fail") != 0) return report(c);
    host->fail(call, GDALMCP_IO, text(words), text(words));
    return GDALMCP_IO;
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
