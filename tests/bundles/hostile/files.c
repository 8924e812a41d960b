/* Reaching for files outside the grant. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "hostile.h"

HOSTILE(hostile_chmod) {
    BEGIN;
    const char* path = string_argument(c, "/path");
    const struct timespec epoch[2] = {{0, 0}, {0, 0}};
    tried(c, "chmod", chmod(path, 0777));
    tried(c, "fchmodat", fchmodat(AT_FDCWD, path, 0777, 0));
#ifdef SYS_fchmodat2
    tried(c, "fchmodat2", syscall(SYS_fchmodat2, AT_FDCWD, path, 0777, 0));
#endif
    tried(c, "chown", chown(path, 1, 1));
    tried(c, "utimensat", utimensat(AT_FDCWD, path, epoch, 0));
    tried(c, "setxattr", setxattr(path, "user.hostile", "1", 1, 0));
    return report(c);
}

static int read_from(hostile_call* c, const char* what, int fd) {
    char buffer[101];
    const ssize_t got = fd < 0 ? -1 : read(fd, buffer, sizeof buffer - 1);
    tried(c, what, got);
    if (got >= 0) {
        const gdalmcp_str first = {buffer, (size_t)got};
        c->host->put_string(c->call, text("/text"), first);
    }
    if (fd >= 0) close(fd);
    return got >= 0;
}

HOSTILE(hostile_read) {
    BEGIN;
    const char* path = string_argument(c, "/path");
    char around[4200];
    struct open_how how;
    memset(&how, 0, sizeof how);
    how.flags = O_RDONLY;
    read_from(c, "open", open(path, O_RDONLY | O_CLOEXEC));
    read_from(c, "openat2", (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof how));
    snprintf(around, sizeof around, "/proc/self/root%s", path);
    read_from(c, "proc_root", open(around, O_RDONLY | O_CLOEXEC));
    snprintf(around, sizeof around, "/proc/%d/root%s", (int)getppid(), path);
    read_from(c, "proc_parent", open(around, O_RDONLY | O_CLOEXEC));
    return report(c);
}

HOSTILE(hostile_write) {
    BEGIN;
    const char* path = string_argument(c, "/path");
    int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    tried(c, "append", fd < 0 ? fd : write(fd, "hostile", 7));
    if (fd >= 0) close(fd);
    fd = open(path, O_RDONLY | O_TRUNC | O_CLOEXEC);
    tried(c, "read_truncate", fd);
    if (fd >= 0) close(fd);
    tried(c, "truncate", truncate(path, 0));
    return report(c);
}

HOSTILE(hostile_unlink) {
    BEGIN;
    const char* path = string_argument(c, "/path");
    tried(c, "unlink", unlink(path));
    tried(c, "rename", rename(path, "taken"));
    tried(c, "link", link(path, "linked"));
    return report(c);
}

/* Leaves in the place of the output something that points outside. */
HOSTILE(hostile_symlink) {
    BEGIN;
    const char* target = string_argument(c, "/target");
    const char* output = string_argument(c, "/output");
    tried(c, "symlink", symlink(target, output));
    if (c->worst != 0) tried(c, "link", link(target, output));
    if (c->worst != 0) tried(c, "rename", rename(target, output));
    return report(c);
}

HOSTILE(hostile_file_size) {
    BEGIN;
    const char* output = string_argument(c, "/output");
    const off_t at = (off_t)integer_argument(c, "/at");
    const int fd = open(output, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    tried(c, "write", fd < 0 ? fd : pwrite(fd, "x", 1, at));
    tried(c, "ftruncate", fd < 0 ? fd : ftruncate(fd, at + 1));
    if (fd >= 0) close(fd);
    return report(c);
}

/* Leaves folders in each other, deeper than any path may be long, the innermost of which nobody may enter. From the
   inside out: Landlock walks from where one is to the root. */
HOSTILE(hostile_nest) {
    BEGIN;
    long left = (long)integer_argument(c, "/depth");
    int failed = mkdir("d", 0);
    while (failed == 0 && left-- > 0) failed = mkdir("n", 0700) || rename("d", "n/d") || rename("n", "d");
    tried(c, "nest", failed ? -1 : 0);
    return report(c);
}
