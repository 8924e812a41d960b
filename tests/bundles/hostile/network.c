/* Reaching for sockets. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "hostile.h"

HOSTILE(hostile_udp) {
    BEGIN;
    struct sockaddr_in to;
    const int udp = socket(AF_INET, SOCK_DGRAM, 0), tcp = socket(AF_INET, SOCK_STREAM, 0);
    memset(&to, 0, sizeof to);
    to.sin_family = AF_INET;
    to.sin_port = htons((uint16_t)integer_argument(c, "/port"));
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    tried(c, "udp", udp < 0 ? udp : sendto(udp, "hostile", 7, 0, (struct sockaddr*)&to, sizeof to));
    tried(c, "tcp", tcp < 0 ? tcp : connect(tcp, (struct sockaddr*)&to, sizeof to));
    return report(c);
}

/* Also over every descriptor the process already has: none of them may be a way out. */
static void reach(hostile_call* c, const struct sockaddr_un* to, socklen_t size) {
    char what[32];
    int fd;
    const int stream = socket(AF_UNIX, SOCK_STREAM, 0), datagram = socket(AF_UNIX, SOCK_DGRAM, 0);
    tried(c, "stream", stream < 0 ? stream : connect(stream, (const struct sockaddr*)to, size));
    tried(c, "datagram", datagram < 0 ? datagram : sendto(datagram, "hostile", 7, 0, (const struct sockaddr*)to, size));
    for (fd = 0; fd < 16; ++fd)
        if (connect(fd, (const struct sockaddr*)to, size) == 0) {
            snprintf(what, sizeof what, "descriptor_%d", fd);
            attempted(c, what, 0);
        }
}

HOSTILE(hostile_unix) {
    BEGIN;
    struct sockaddr_un to;
    memset(&to, 0, sizeof to);
    to.sun_family = AF_UNIX;
    strncpy(to.sun_path, string_argument(c, "/path"), sizeof to.sun_path - 1);
    reach(c, &to, sizeof to);
    return report(c);
}

HOSTILE(hostile_abstract) {
    BEGIN;
    struct sockaddr_un to;
    const char* name = string_argument(c, "/name");
    memset(&to, 0, sizeof to);
    to.sun_family = AF_UNIX;
    strncpy(to.sun_path + 1, name, sizeof to.sun_path - 2);
    reach(c, &to, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(name)));
    return report(c);
}
