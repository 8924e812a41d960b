#include "report.h"

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

const char report_schema[] = OBJECT(
    "\"errno\":{\"type\":\"integer\",\"description\":\"0 when an attempt succeeded, else the first errno\"},"
    "\"attempts\":{\"type\":\"object\",\"description\":\"errno of every way that was tried, 0 = it worked\"},"
    "\"text\":{\"type\":\"string\",\"description\":\"What was read\"},"
    "\"bytes\":{\"type\":\"integer\",\"description\":\"How much was got or written [bytes]\"}",
    "\"errno\"");
