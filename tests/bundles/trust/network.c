/* Declares that it needs the network; says truthfully what it then reaches, and what it still does not. */
#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

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
    tried(c, "vsock", socket(40 /* AF_VSOCK */, SOCK_STREAM, 0));
    return report(c);
}

TOOL_RUN_BY(hostile_udp, network_internet, GDALMCP_READ_ONLY | GDALMCP_OPEN_WORLD, ONE_INTEGER("port"));
TOOL_RUN_BY(hostile_unix, network_unix, GDALMCP_READ_ONLY, ONE_STRING("path"));
TOOL_RUN_BY(hostile_abstract, network_abstract, GDALMCP_READ_ONLY, ONE_STRING("name"));
TOOL_RUN_BY(hostile_read, network_read, GDALMCP_READ_ONLY, ONE_STRING("path"));
TOOL_RUN_BY(hostile_write, network_write, GDALMCP_READ_ONLY, ONE_STRING("path"));
TOOL_RUN_BY(listens, network_listen, GDALMCP_READ_ONLY, NOTHING);
TOOL_RUN_BY(other_families, network_families, GDALMCP_READ_ONLY, NOTHING);

static const gdalmcp_tool* const tools[] = {&network_internet_tool, &network_unix_tool,  &network_abstract_tool,
                                            &network_read_tool,     &network_write_tool, &network_listen_tool,
                                            &network_families_tool};
PLUGIN("org.gdal-mcp.test.network", tools)
