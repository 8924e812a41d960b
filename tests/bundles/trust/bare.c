/* A bare library that does more than it should while it is described. A test writes into the file what that is, so that
 * it needs no compiler. */
#include <errno.h>
#include <fcntl.h>
#include <gdalmcp/abi.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

/* "MODE NAME CANARY PORT SOCKET": what to do; of the tool; a file to write; of a TCP and UDP listener; of a Unix one.
 */
static volatile char settings[1024] = "@SETTINGS@";
static char mode[16], name[32], canary[256], socket_path[108];
static int port;

/* errno of everything that was tried, 0 = it worked: "ctor.write=13 ctor.tcp=1 …". */
static char tried[900];

static void attempt(const char* when, const char* what, long returned) {
    const size_t used = strlen(tried);
    snprintf(tried + used, sizeof tried - used, "%s.%s=%d ", when, what, returned < 0 ? errno : 0);
}

static void reach(const char* when) {
    struct sockaddr_in internet;
    struct sockaddr_un local;
    pid_t child;
    int fd = open(canary, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    attempt(when, "write", fd < 0 ? fd : write(fd, "bare", 4));
    memset(&internet, 0, sizeof internet);
    internet.sin_family = AF_INET;
    internet.sin_port = htons((uint16_t)port);
    internet.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    fd = socket(AF_INET, SOCK_STREAM, 0);
    attempt(when, "tcp", fd < 0 ? fd : connect(fd, (struct sockaddr*)&internet, sizeof internet));
    fd = socket(AF_INET, SOCK_DGRAM, 0);
    attempt(when, "udp", fd < 0 ? fd : sendto(fd, "bare", 4, 0, (struct sockaddr*)&internet, sizeof internet));
    memset(&local, 0, sizeof local);
    local.sun_family = AF_UNIX;
    strcpy(local.sun_path, socket_path);
    fd = socket(AF_UNIX, SOCK_STREAM, 0);
    attempt(when, "unix", fd < 0 ? fd : connect(fd, (struct sockaddr*)&local, sizeof local));
    child = fork();
    if (child == 0) _exit(0);
    attempt(when, "fork", child);
    attempt(when, "exec", execl("/bin/true", "true", (char*)NULL));
}

/* Speaks in the worker's place, over the descriptor its answer goes through. */
static void forge(void) {
    static const char frame[] = "{\"kind\":\"done\",\"manifest\":[1, 2]}";
    const uint32_t size = sizeof frame - 1;
    if (write(3, &size, sizeof size) < 0 || write(3, frame, size) < 0) _exit(1);
    _exit(0);
}

__attribute__((constructor)) static void loaded(void) {
    char copy[sizeof settings];
    size_t i;
    for (i = 0; i < sizeof copy; ++i) copy[i] = settings[i];
    if (sscanf(copy, "%15s %31s %255s %d %107s", mode, name, canary, &port, socket_path) != 5) abort();
    fprintf(stderr, "the code of %s runs\n", name);
    if (!strcmp(mode, "reach")) reach("constructor");
    if (!strcmp(mode, "crash")) abort();
    if (!strcmp(mode, "hang"))
        for (;;) pause();
    if (!strcmp(mode, "forge")) forge();
}

static gdalmcp_status run(const gdalmcp_host* host, gdalmcp_call* call, const void* self) {
    static const gdalmcp_str at = {"/done", 5};
    (void)self;
    return host->put_bool(call, at, 1);
}

const gdalmcp_plugin* gdalmcp_plugin_v1(uint32_t host_abi_minor) {
    static char id[64], description[1000];
    static gdalmcp_tool tool = {
        sizeof tool,
        GDALMCP_READ_ONLY,
        name,
        NULL,
        description,
        "{\"type\":\"object\",\"properties\":{},\"required\":[],\"additionalProperties\":false}",
        "{\"type\":\"object\",\"properties\":{\"done\":{\"type\":\"boolean\",\"description\":"
        "\"Always true\"}},\"required\":[\"done\"],\"additionalProperties\":false}",
        run,
        NULL};
    static const gdalmcp_tool* const tools[] = {&tool};
    static const gdalmcp_plugin plugin = {
        sizeof plugin, GDALMCP_ABI_MAJOR, GDALMCP_ABI_MINOR, 1, id, "1.0.0", "MIT", tools, NULL};
    (void)host_abi_minor;
    if (!strcmp(mode, "crash_late")) abort();
    if (!strcmp(mode, "hang_late"))
        for (;;) pause();
    if (!strcmp(mode, "none")) return NULL;
    if (!strcmp(mode, "reach")) reach("entry");
    snprintf(id, sizeof id, "org.example.%s", name);
    snprintf(description, sizeof description, "Tried: %s.", tried);
    return &plugin;
}
