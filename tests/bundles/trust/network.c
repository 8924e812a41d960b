/* Declares that it needs the network; says truthfully what it then reaches, and what it still does not. */
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../hostile/hostile.h"

static gdalmcp_status listens(const gdalmcp_host* host, gdalmcp_call* call, const void* self) {
    BEGIN;
    struct sockaddr_in any;
    const int tcp = socket(AF_INET, SOCK_STREAM, 0), udp = socket(AF_INET, SOCK_DGRAM, 0),
              unbound = socket(AF_INET, SOCK_STREAM, 0);
    memset(&any, 0, sizeof any);
    any.sin_family = AF_INET;
    any.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (tcp < 0 || udp < 0 || unbound < 0) return GDALMCP_INTERNAL; /* then a refusal below would say nothing */
    tried(c, "bind_tcp", bind(tcp, (struct sockaddr*)&any, sizeof any));
    tried(c, "bind_udp", bind(udp, (struct sockaddr*)&any, sizeof any));
    tried(c, "listen", listen(unbound, 1)); /* would choose a port by itself */
    tried(c, "accept", accept(unbound, NULL, NULL));
    return report(c);
}

static gdalmcp_status other_families(const gdalmcp_host* host, gdalmcp_call* call, const void* self) {
    BEGIN;
    tried(c, "unix", socket(AF_UNIX, SOCK_STREAM, 0));
    tried(c, "netlink", socket(AF_NETLINK, SOCK_RAW, 0));
    tried(c, "packet", socket(AF_PACKET, SOCK_DGRAM, 0));
    tried(c, "raw", socket(AF_INET, SOCK_RAW, 1));
    tried(c, "vsock", socket(40 /* AF_VSOCK */, SOCK_STREAM, 0));
    return report(c);
}

/* The first three descriptors are the host's, under whatever number. */
static gdalmcp_status streams(const gdalmcp_host* host, gdalmcp_call* call, const void* self) {
    BEGIN;
    static const char* const names[3][5] = {{"flags_0", "ioctl_0", "dup_0", "dup_by_fcntl_0", "dup2_0"},
                                            {"flags_1", "ioctl_1", "dup_1", "dup_by_fcntl_1", "dup2_1"},
                                            {"flags_2", "ioctl_2", "dup_2", "dup_by_fcntl_2", "dup2_2"}};
    int fd, on = 1;
    for (fd = 0; fd < 3; ++fd) {
        tried(c, names[fd][0], fcntl(fd, F_SETFL, O_NONBLOCK));
        tried(c, names[fd][1], ioctl(fd, FIONBIO, &on));
        tried(c, names[fd][2], dup(fd));
        tried(c, names[fd][3], fcntl(fd, F_DUPFD_CLOEXEC, 10));
        tried(c, names[fd][4], dup2(fd, 20));
    }
    return report(c);
}

/* As libraries do that wait for many at once. */
static gdalmcp_status waits(const gdalmcp_host* host, gdalmcp_call* call, const void* self) {
    BEGIN;
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    int on = 1;
    tried(c, "socket", fd);
    tried(c, "flags", fcntl(fd, F_SETFL, O_NONBLOCK));
    tried(c, "ioctl", ioctl(fd, FIONBIO, &on));
    tried(c, "dup", dup(fd));
    return report(c);
}

TOOL_RUN_BY(hostile_udp, network_internet, GDALMCP_READ_ONLY | GDALMCP_OPEN_WORLD, ONE_INTEGER("port"));
TOOL_RUN_BY(hostile_unix, network_unix, GDALMCP_READ_ONLY, ONE_STRING("path"));
TOOL_RUN_BY(hostile_abstract, network_abstract, GDALMCP_READ_ONLY, ONE_STRING("name"));
TOOL_RUN_BY(hostile_read, network_read, GDALMCP_READ_ONLY, ONE_STRING("path"));
TOOL_RUN_BY(hostile_write, network_write, GDALMCP_READ_ONLY, ONE_STRING("path"));
TOOL_RUN_BY(listens, network_listen, GDALMCP_READ_ONLY, NOTHING);
TOOL_RUN_BY(other_families, network_families, GDALMCP_READ_ONLY, NOTHING);
TOOL_RUN_BY(streams, network_streams, GDALMCP_READ_ONLY, NOTHING);
TOOL_RUN_BY(waits, network_waits, GDALMCP_READ_ONLY, NOTHING);

static const gdalmcp_tool* const tools[] = {&network_internet_tool, &network_unix_tool,    &network_abstract_tool,
                                            &network_read_tool,     &network_write_tool,   &network_listen_tool,
                                            &network_families_tool, &network_streams_tool, &network_waits_tool};
PLUGIN("org.gdal-mcp.test.network", tools)
