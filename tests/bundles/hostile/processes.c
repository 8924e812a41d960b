/* Reaching for other processes and for more than was granted. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hostile.h"

HOSTILE(hostile_fork) {
    BEGIN;
    pid_t child = fork();
    if (child == 0) _exit(0);
    tried(c, "fork", child);
    child = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
    if (child == 0) _exit(0);
    tried(c, "clone", child);
#ifdef SYS_vfork
    child = (pid_t)syscall(SYS_fork);
    if (child == 0) _exit(0);
    tried(c, "fork_number", child);
#endif
    return report(c);
}

/* Succeeds by never coming back: the program at `path` leaves its mark itself. */
HOSTILE(hostile_exec) {
    BEGIN;
    const char* path = string_argument(c, "/path");
    char* const arguments[] = {(char*)path, NULL};
    char* const environment[] = {NULL};
    tried(c, "execve", execve(path, arguments, environment));
#ifdef SYS_execveat
    tried(c, "execveat", syscall(SYS_execveat, -100 /* AT_FDCWD */, path, arguments, environment, 0));
#endif
    return report(c);
}

HOSTILE(hostile_kill) {
    BEGIN;
    const pid_t pid = (pid_t)integer_argument(c, "/pid");
    tried(c, "kill", kill(pid, SIGTERM));
    tried(c, "tgkill", syscall(SYS_tgkill, pid, pid, SIGTERM));
    tried(c, "tkill", syscall(SYS_tkill, pid, SIGTERM));
    tried(c, "parent", kill(getppid(), SIGTERM));
#ifdef SYS_pidfd_open
    {
        const long fd = syscall(SYS_pidfd_open, pid, 0);
        tried(c, "pidfd", fd < 0 ? fd : syscall(SYS_pidfd_send_signal, fd, SIGTERM, NULL, 0));
    }
#endif
    return report(c);
}

HOSTILE(hostile_ptrace) {
    BEGIN;
    const pid_t pid = (pid_t)integer_argument(c, "/pid");
    char buffer[16];
    struct iovec local = {buffer, sizeof buffer}, remote = {(void*)0x1000, sizeof buffer};
    tried(c, "ptrace", ptrace(PTRACE_ATTACH, pid, NULL, NULL));
    tried(c, "ptrace_parent", ptrace(PTRACE_ATTACH, getppid(), NULL, NULL));
    tried(c, "process_vm_readv", process_vm_readv(pid, &local, 1, &remote, 1, 0));
    tried(c, "process_vm_readv_parent", process_vm_readv(getppid(), &local, 1, &remote, 1, 0));
    return report(c);
}

/* A limit may be lowered, never raised. */
HOSTILE(hostile_limits) {
    BEGIN;
    const struct rlimit more = {(rlim_t)1 << 40, (rlim_t)1 << 40};
    struct rlimit now = {0, 0};
    getrlimit(RLIMIT_NOFILE, &now);
    now.rlim_max += 1;
    tried(c, "descriptors", setrlimit(RLIMIT_NOFILE, &now));
    tried(c, "file_size", setrlimit(RLIMIT_FSIZE, &more));
    tried(c, "of_parent", prlimit(getppid(), RLIMIT_NOFILE, &now, NULL));
    tried(c, "death_signal", prctl(PR_SET_PDEATHSIG, 0, 0, 0, 0));
    tried(c, "death_signal_by_its_lower_half", syscall(SYS_prctl, (1ul << 32) + PR_SET_PDEATHSIG, 0ul, 0ul, 0ul, 0ul));
    tried(c, "unshare", unshare(CLONE_NEWUSER));
    tried(c, "setuid", setuid(0) == 0 && geteuid() != 0 ? 0 : (errno = EPERM, -1));
    return report(c);
}

static void* idle(void* nothing) { return nothing; }

/* Allowed: algorithms may use threads. */
HOSTILE(hostile_thread) {
    BEGIN;
    pthread_t thread;
    const int error = pthread_create(&thread, NULL, idle, NULL);
    if (error == 0) pthread_join(thread, NULL);
    attempted(c, "pthread_create", error);
    return report(c);
}

static atomic_int started;

static void* wait_for_ever(void* nothing) {
    started++;
    for (;;) pause();
    return nothing;
}

/* Starts two more and never rests: a bomb that runs on what processors there are. */
static void* breed(void* attributes) {
    pthread_t thread;
    int i;
    started++;
    for (i = 0; i < 2; ++i) pthread_create(&thread, attributes, breed, attributes);
    for (;;) sched_yield();
    return NULL;
}

/* As many threads as are let, with small stacks. */
HOSTILE(hostile_threads) {
    BEGIN;
    const int64_t count = integer_argument(c, "/count");
    const int breeds = strcmp(string_argument(c, "/way"), "breed") == 0;
    pthread_attr_t attributes;
    pthread_t thread;
    int64_t i;
    int error = 0;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 128 << 10);
    for (i = 0; i < (breeds ? 1 : count) && error == 0; ++i)
        error = pthread_create(&thread, &attributes, breeds ? breed : wait_for_ever, &attributes);
    attempted(c, "pthread_create", error);
    while (started < (error ? i : count)) sched_yield();
    host->put_int(call, text("/bytes"), started);
    return report(c);
}
