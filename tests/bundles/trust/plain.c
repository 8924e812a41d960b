/* Reads and writes datasets without GDAL: it sees files. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../hostile/hostile.h"

static char content[1 << 20]; /* of the file that was read last */

/* How many bytes a file has, read to its end; -1 and errno. */
static long size_of(const char* path) {
    long size = 0;
    ssize_t got = 0;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return -1;
    while ((got = read(fd, content + size, sizeof content - (size_t)size)) > 0) size += got;
    close(fd);
    return got < 0 ? -1 : size;
}

/* "/etc/passwd" is itself, "a.dbf" lies beside the dataset, "+.aux.xml" is its name and more. */
static void place(char* path, size_t size, const char* dataset, const char* name) {
    const char* slash = strrchr(dataset, '/');
    if (name[0] == '/')
        snprintf(path, size, "%s", name);
    else if (name[0] == '+')
        snprintf(path, size, "%s%s", dataset, name + 1);
    else
        snprintf(path, size, "%.*s/%s", (int)(slash - dataset), dataset, name);
}

static gdalmcp_status reads(const gdalmcp_host* host, gdalmcp_call* call, const void* self) {
    BEGIN;
    const char* wanted = string_argument(c, "/contains");
    char dataset[4096], path[4200], at[32];
    size_t count = 0, i;
    long total, size;
    snprintf(dataset, sizeof dataset, "%s", string_argument(c, "/uri")); /* which keeps only the last four */
    total = size_of(dataset);
    tried(c, "uri", total);
    if (total > 0 && *wanted)
        attempted(c, "contains", memmem(content, (size_t)total, wanted, strlen(wanted)) ? 0 : ENODATA);
    host->get_size(call, text("/files"), &count);
    for (i = 0; i < count; ++i) {
        snprintf(at, sizeof at, "/files/%zu", i);
        place(path, sizeof path, dataset, string_argument(c, at));
        size = size_of(path);
        tried(c, at + 7, size);
        if (size > 0) total += size;
    }
    host->put_int(call, text("/bytes"), total);
    return report(c);
}

static gdalmcp_status writes(const gdalmcp_host* host, gdalmcp_call* call, const void* self) {
    BEGIN;
    const char *given = string_argument(c, "/content"), *expected = string_argument(c, "/expected");
    FILE* file = fopen(string_argument(c, "/output"), "w");
    tried(c, "output", file ? 0 : -1);
    if (file) {
        fputs(given, file);
        fclose(file);
    }
    if (*expected) host->expect(call, text("/output"), text(expected));
    return report(c);
}

#define INPUT(role) \
    OBJECT("\"uri\":{\"type\":\"string\",\"x-gdalmcp\":\"" role "\",\"description\":\"A dataset.\"}," STRING("contains") ","    \
           "\"files\":{\"type\":\"array\",\"items\":{\"type\":\"string\"},\"description\":\"To read, too.\"}", \
           "\"uri\"")

TOOL_RUN_BY(reads, plain_read_raster, GDALMCP_READ_ONLY, INPUT("input-raster"));
TOOL_RUN_BY(reads, plain_read_vector, GDALMCP_READ_ONLY, INPUT("input-vector"));
TOOL_RUN_BY(writes, plain_write, GDALMCP_DESTRUCTIVE,
            OBJECT(STRING("content") "," STRING("expected") "," OUTPUT, "\"content\""));
TOOL_RUN_BY(hostile_polite_loop, plain_wait, GDALMCP_READ_ONLY, NOTHING);
TOOL_RUN_BY(hostile_udp, plain_internet, GDALMCP_READ_ONLY, ONE_INTEGER("port"));

static const gdalmcp_tool* const tools[] = {&plain_read_raster_tool, &plain_read_vector_tool, &plain_write_tool,
                                            &plain_wait_tool, &plain_internet_tool};
PLUGIN("org.gdal-mcp.test.plain", tools)
