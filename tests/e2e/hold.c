/* Preloaded into the host: stops it for good before the Nth of those system calls by which an output is published
 * (fsync, renameat2, unlinkat, rmdir, unlink), counted from the moment a file is there. For tests that kill it there.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static void pass(void) {
    static atomic_int seen;
    const char *armed = getenv("HOLD_WHEN"), *at = getenv("HOLD_AT"), *told = getenv("HOLD_TOLD");
    if (!armed || !at || !told || access(armed, F_OK) != 0) return;
    if (atomic_fetch_add(&seen, 1) + 1 != atoi(at)) return;
    close(open(told, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    for (;;) pause();
}

int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) {
    pass();
    return (int)syscall(SYS_renameat2, from_folder, from, to_folder, to, flags);
}
int fsync(int fd) {
    pass();
    return (int)syscall(SYS_fsync, fd);
}
int unlinkat(int folder, const char* name, int flags) {
    pass();
    return (int)syscall(SYS_unlinkat, folder, name, flags);
}
int unlink(const char* name) { return unlinkat(AT_FDCWD, name, 0); }
int rmdir(const char* name) { return unlinkat(AT_FDCWD, name, AT_REMOVEDIR); }
