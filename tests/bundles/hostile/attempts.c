/* One way after the other to reach what lies outside a call, by group. Each line is a system call of which success
 * would be a breach; what really happened is for the test to see. Some calls are younger than the headers this is built
 * with, so they go by number. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>
#include <termios.h>
#include <unistd.h>

#include "hostile.h"

/* `call` fails as it should when it returns less than 0. */
#define TRY(name, call) (errno = 0, tried(c, name, (long)(call)))
/* A system call by number and its arguments, all of the width of a register. */
#define RAW(name, ...) TRY(name, syscall(__VA_ARGS__))
#define BEYOND(n) ((1ul << 32) + (unsigned long)(n)) /* of which the kernel sees n */

enum { io_idle = 3 << 13, io_realtime = 1 << 13, who_process = 1, who_group = 2, who_user = 3 };

/* `pid`: a process of the same user; the parent is the zygote, from which later calls are forked. */
static void scheduling(hostile_call* c) {
    const pid_t pid = (pid_t)integer_argument(c, "/pid");
    const struct sched_param lowest = {0}, real_time = {1};
    struct {
        unsigned size, policy;
        unsigned long long flags;
        int nice;
        unsigned priority;
        unsigned long long runtime, deadline, period;
    } idle = {48, SCHED_IDLE, 0, 0, 0, 0, 0, 0}, fifo = {48, SCHED_FIFO, 0, 0, 1, 0, 0, 0},
      on_time = {48, SCHED_DEADLINE, 0, 0, 0, 1000000, 10000000, 10000000};
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(0, &one);
    TRY("nice_of_victim", setpriority(PRIO_PROCESS, (id_t)pid, 1));
    TRY("nice_of_parent", setpriority(PRIO_PROCESS, (id_t)getppid(), 1));
    TRY("nice_of_group", setpriority(PRIO_PGRP, 0, 1));
    TRY("nice_of_user", setpriority(PRIO_USER, 0, 1));
    TRY("nice_of_this_user", setpriority(PRIO_USER, getuid(), 1));
    TRY("nice_of_first", setpriority(PRIO_PROCESS, 1, 1));
    TRY("nice_of_itself", setpriority(PRIO_PROCESS, 0, 1));
    TRY("nice", nice(1));
    TRY("affinity_of_victim", sched_setaffinity(pid, sizeof one, &one));
    TRY("affinity_of_parent", sched_setaffinity(getppid(), sizeof one, &one));
    TRY("affinity_of_first", sched_setaffinity(1, sizeof one, &one));
    TRY("affinity_of_itself", sched_setaffinity(0, sizeof one, &one));
    TRY("idle_of_victim", sched_setscheduler(pid, SCHED_IDLE, &lowest));
    TRY("idle_of_parent", sched_setscheduler(getppid(), SCHED_IDLE, &lowest));
    TRY("batch_of_parent", sched_setscheduler(getppid(), SCHED_BATCH, &lowest));
    TRY("real_time_of_itself", sched_setscheduler(0, SCHED_FIFO, &real_time));
    TRY("round_robin_of_itself", sched_setscheduler(0, SCHED_RR, &real_time));
    TRY("real_time_of_parent", sched_setscheduler(getppid(), SCHED_FIFO, &real_time));
    TRY("parameters_of_victim", sched_setparam(pid, &lowest));
    TRY("parameters_of_parent", sched_setparam(getppid(), &lowest));
    RAW("attributes_of_victim", SYS_sched_setattr, pid, &idle, 0);
    RAW("attributes_of_parent", SYS_sched_setattr, getppid(), &idle, 0);
    RAW("fifo_by_attributes", SYS_sched_setattr, 0, &fifo, 0);
    RAW("deadline_class", SYS_sched_setattr, 0, &on_time, 0);
    RAW("io_idle_of_victim", SYS_ioprio_set, who_process, pid, io_idle);
    RAW("io_idle_of_parent", SYS_ioprio_set, who_process, getppid(), io_idle);
    RAW("io_idle_of_group", SYS_ioprio_set, who_group, 0, io_idle);
    RAW("io_idle_of_user", SYS_ioprio_set, who_user, getuid(), io_idle);
    RAW("io_idle_of_first", SYS_ioprio_set, who_process, 1, io_idle);
    RAW("io_real_time_of_itself", SYS_ioprio_set, who_process, 0, io_realtime);
    RAW("core_of_victim", SYS_prctl, 62 /* PR_SCHED_CORE */, 2 /* SHARE_TO */, pid, 0, 0);
    RAW("core_of_parent", SYS_prctl, BEYOND(62), 2, getppid(), 0, 0);
    RAW("core_of_itself", SYS_prctl, 62, 1 /* CREATE */, 0, 0, 0);
    RAW("migrate_pages_of_victim", SYS_migrate_pages, pid, 8, &one, &one);
    RAW("move_pages_of_victim", SYS_move_pages, pid, 0, NULL, NULL, NULL, 0);
}

static void limits(hostile_call* c) {
    static const struct {
        const char* victim;
        const char* parent;
        const char* itself;
        int resource;
    } all[] = {{"files_of_victim", "files_of_parent", "files_of_itself", RLIMIT_NOFILE},
               {"memory_of_victim", "memory_of_parent", "memory_of_itself", RLIMIT_AS},
               {"file_size_of_victim", "file_size_of_parent", "file_size_of_itself", RLIMIT_FSIZE},
               {"cores_of_victim", "cores_of_parent", "cores_of_itself", RLIMIT_CORE},
               {"processor_of_victim", "processor_of_parent", "processor_of_itself", RLIMIT_CPU},
               {"locked_of_victim", "locked_of_parent", "locked_of_itself", RLIMIT_MEMLOCK},
               {"real_time_of_victim", "real_time_of_parent", "real_time_of_itself", RLIMIT_RTPRIO}};
    const pid_t pid = (pid_t)integer_argument(c, "/pid");
    const struct rlimit other = {4096, 8192};
    size_t i;
    for (i = 0; i < sizeof all / sizeof *all; ++i) {
        const int resource = all[i].resource;
        RAW(all[i].victim, SYS_prlimit64, pid, resource, &other, NULL);
        RAW(all[i].parent, SYS_prlimit64, getppid(), resource, &other, NULL);
        RAW(all[i].itself, SYS_prlimit64, 0, resource, &other, NULL);
    }
    RAW("setrlimit", SYS_setrlimit, RLIMIT_NOFILE, &other);
    TRY("death_signal", prctl(PR_SET_PDEATHSIG, 0, 0, 0, 0));
    RAW("death_signal_by_its_lower_half", SYS_prctl, BEYOND(PR_SET_PDEATHSIG), 0, 0, 0, 0);
}

static int async_pipe(int owner_command, const void* owner, unsigned long owner_value, int signal) {
    int ends[2];
    int worked = -1;
    if (pipe(ends) != 0) return -1;
    if ((owner ? fcntl(ends[0], owner_command, owner) : fcntl(ends[0], owner_command, owner_value)) == 0 &&
        fcntl(ends[0], F_SETSIG, signal) == 0 && fcntl(ends[0], F_SETFL, O_ASYNC) == 0)
        worked = (int)write(ends[1], "x", 1);
    close(ends[0]);
    close(ends[1]);
    return worked;
}

static void signals(hostile_call* c) {
    const pid_t pid = (pid_t)integer_argument(c, "/pid");
    struct {
        int type;
        pid_t pid;
    } process = {1, pid}, parent = {1, getppid()};
    siginfo_t forged;
    int ends[2];
    memset(&forged, 0, sizeof forged);
    forged.si_code = SI_QUEUE;
    TRY("kill_victim", kill(pid, SIGUSR1));
    TRY("kill_parent", kill(getppid(), SIGUSR1));
    TRY("kill_group", kill(0, SIGUSR1));
    TRY("kill_group_by_number", kill(-getpgrp(), SIGUSR1));
    TRY("kill_first", kill(1, SIGUSR1));
    TRY("kill_test", kill(pid, 0));
    RAW("kill_beyond", SYS_kill, BEYOND(pid), SIGUSR1);
    RAW("tkill", SYS_tkill, pid, SIGUSR1);
    RAW("tkill_parent", SYS_tkill, getppid(), SIGUSR1);
    RAW("tgkill", SYS_tgkill, pid, pid, SIGUSR1);
    RAW("tgkill_parent", SYS_tgkill, getppid(), getppid(), SIGUSR1);
    RAW("sigqueue", SYS_rt_sigqueueinfo, pid, SIGUSR1, &forged);
    RAW("sigqueue_parent", SYS_rt_sigqueueinfo, getppid(), SIGUSR1, &forged);
    RAW("tgsigqueue", SYS_rt_tgsigqueueinfo, pid, pid, SIGUSR1, &forged);
    RAW("pidfd_open", SYS_pidfd_open, pid, 0);
    RAW("pidfd_open_parent", SYS_pidfd_open, getppid(), 0);
    RAW("pidfd_send_signal", SYS_pidfd_send_signal, 3, SIGUSR1, NULL, 0);
    RAW("pidfd_getfd", SYS_pidfd_getfd, 3, 0, 0);
    TRY("owner_of_a_pipe", async_pipe(F_SETOWN, NULL, (unsigned long)pid, SIGUSR1));
    TRY("parent_owns_a_pipe", async_pipe(F_SETOWN, NULL, (unsigned long)getppid(), SIGUSR1));
    TRY("owner_by_structure", async_pipe(F_SETOWN_EX, &process, 0, SIGKILL));
    TRY("parent_by_structure", async_pipe(F_SETOWN_EX, &parent, 0, SIGKILL));
    if (pipe(ends) == 0) {
        int who = pid;
        TRY("owner_by_ioctl", ioctl(ends[0], 0x8901 /* FIOSETOWN */, &who));
        TRY("group_by_ioctl", ioctl(ends[0], 0x8902 /* SIOCSPGRP */, &who));
        RAW("owner_beyond", SYS_fcntl, ends[0], BEYOND(F_SETOWN), pid);
        TRY("async_by_ioctl", ioctl(ends[0], FIOASYNC, &who));
        close(ends[0]);
        close(ends[1]);
    }
    TRY("new_session", setsid());
    TRY("new_group", setpgid(0, 0));
    TRY("group_of_parent", setpgid(getppid(), 0));
}

/* What the process has open is partly the host's own. */
static void descriptors(hostile_call* c) {
    struct termios t;
    struct winsize size = {7, 7, 0, 0};
    int on = 1, group = getpid(), fd;
    char mine = '\n', name[40];
    memset(&t, 0, sizeof t);
    for (fd = 0; fd < 3; ++fd) {
#define STREAM(what, call) (snprintf(name, sizeof name, "%s_%d", what, fd), TRY(name, call))
        STREAM("nonblocking", fcntl(fd, F_SETFL, O_NONBLOCK | O_APPEND));
        STREAM("nonblocking_copy", fcntl(dup(fd), F_SETFL, O_NONBLOCK));
        STREAM("nonblocking_by_ioctl", ioctl(fd, FIONBIO, &on));
        STREAM("nonblocking_beyond", syscall(SYS_fcntl, BEYOND(fd), BEYOND(F_SETFL), O_NONBLOCK));
        STREAM("async", ioctl(fd, FIOASYNC, &on));
        STREAM("owner", fcntl(fd, F_SETOWN, getppid()));
        STREAM("typed", ioctl(fd, TIOCSTI, &mine));
        STREAM("typed_beyond", syscall(SYS_ioctl, fd, BEYOND(TIOCSTI), &mine));
        STREAM("terminal_settings", ioctl(fd, TCSETS, &t));
        STREAM("terminal_settings_later", ioctl(fd, TCSETSF, &t));
        STREAM("window_size", ioctl(fd, TIOCSWINSZ, &size));
        STREAM("controlling_terminal", ioctl(fd, TIOCSCTTY, 1));
        STREAM("foreground", ioctl(fd, TIOCSPGRP, &group));
        STREAM("exclusive", ioctl(fd, TIOCEXCL, 0));
        STREAM("discipline", ioctl(fd, TIOCSETD, &on));
        STREAM("console", ioctl(fd, TIOCCONS, 0));
        STREAM("selection", ioctl(fd, 0x541C /* TIOCLINUX */, &mine));
        STREAM("stopped", ioctl(fd, TCXONC, TCOOFF));
        STREAM("flushed", ioctl(fd, TCFLSH, TCIFLUSH));
        STREAM("changed_mode", fchmod(fd, 0777));
        STREAM("changed_owner", fchown(fd, 1, 1));
    }
}

/* Another name of what is open. */
static const char* again(int fd) {
    static char name[40];
    snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    return name;
}

/* 0 when the file can be written through memory, whether it was mapped so or made so. */
static int mapped(int fd, int protection) {
    void* at = mmap(NULL, 4096, protection, MAP_SHARED, fd, 0);
    return at == MAP_FAILED ? -1 : mprotect(at, 4096, PROT_READ | PROT_WRITE);
}

/* The input of the call is read, and stays as it is. */
static void input(hostile_call* c) {
    const char* path = string_argument(c, "/input");
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    const struct timespec epoch[2] = {{0, 0}, {0, 0}};
    const struct timeval old[2] = {{0, 0}, {0, 0}};
    long flags = 0x80 /* FS_NOATIME_FL */, set_flags = (long)_IOW('f', 2, long);
    unsigned long long hint = 2;
    struct fsxattr attributes;
    struct {
        unsigned long long value;
        unsigned size, flags;
    } attribute = {(unsigned long long)(uintptr_t) "1", 1, 0};
    struct {
        unsigned long long flags;
        unsigned extent, inodes, project, cow;
    } kept = {0x40, 0, 0, 0, 0};
    struct {
        unsigned bytes;
        int type;
        unsigned char handle[128];
    } handle = {128, 0, {0}};
    struct flock whole = {F_WRLCK, SEEK_SET, 0, 0, 0};
    int mount_id = 0, version = 7;
    memset(&attributes, 0, sizeof attributes);
    attributes.fsx_xflags = FS_XFLAG_NOATIME;
    if (fd < 0) {
        attempted(c, "the_input_is_not_readable", 0);
        return;
    }
    TRY("opened_to_write", open(path, O_WRONLY));
    TRY("opened_for_both", open(path, O_RDWR));
    TRY("appended", open(path, O_WRONLY | O_APPEND));
    TRY("emptied_by_opening", open(path, O_RDONLY | O_TRUNC));
    TRY("emptied_by_mode_3", open(path, 3 | O_TRUNC));
    TRY("emptied", truncate(path, 0));
    TRY("emptied_by_descriptor", ftruncate(fd, 0));
    TRY("reopened_to_write", open(again(fd), O_WRONLY));
    TRY("holed", fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, 8));
    TRY("written", write(fd, "hostile", 7));
    TRY("copied_over", syscall(SYS_copy_file_range, fd, NULL, fd, NULL, 1, 0));
    TRY("mapped", mapped(fd, PROT_READ | PROT_WRITE));
    TRY("map_made_writable", mapped(fd, PROT_READ));
    TRY("mode", chmod(path, 0777));
    TRY("mode_by_descriptor", fchmod(fd, 04777));
    TRY("mode_at", fchmodat(AT_FDCWD, path, 0777, 0));
    RAW("mode_at_2", 452 /* fchmodat2 */, AT_FDCWD, path, 0777, 0);
    RAW("mode_of_descriptor_2", 452, fd, "", 0777, 0x1000 /* AT_EMPTY_PATH */);
    TRY("owner", chown(path, 1, 1));
    TRY("owner_by_descriptor", fchown(fd, 1, 1));
    TRY("owner_of_link", lchown(path, 1, 1));
    TRY("owner_at", fchownat(AT_FDCWD, path, 1, 1, 0));
    TRY("times", utimensat(AT_FDCWD, path, epoch, 0));
    TRY("times_by_descriptor", futimens(fd, epoch));
    TRY("times_old", utimes(path, old));
    TRY("attribute", syscall(SYS_setxattr, path, "user.hostile", "1", 1, 0));
    TRY("attribute_by_descriptor", syscall(SYS_fsetxattr, fd, "user.hostile", "1", 1, 0));
    TRY("attribute_of_link", syscall(SYS_lsetxattr, path, "user.hostile", "1", 1, 0));
    TRY("attribute_removed", syscall(SYS_removexattr, path, "user.canary"));
    TRY("attribute_removed_by_descriptor", syscall(SYS_fremovexattr, fd, "user.canary"));
    RAW("attribute_at", 463 /* setxattrat */, AT_FDCWD, path, 0, "user.hostile", &attribute, 16);
    RAW("attribute_removed_at", 466 /* removexattrat */, AT_FDCWD, path, 0, "user.canary");
    RAW("flags_at", 469 /* file_setattr */, AT_FDCWD, path, &kept, sizeof kept, 0);
    TRY("flags", ioctl(fd, set_flags, &flags));
    TRY("flags_beyond", syscall(SYS_ioctl, fd, BEYOND(set_flags), &flags));
    TRY("extended_flags", ioctl(fd, FS_IOC_FSSETXATTR, &attributes));
    TRY("version", ioctl(fd, FS_IOC_SETVERSION, &version));
    TRY("verity", ioctl(fd, _IOW('f', 133, char[128]), &handle));
    TRY("encryption", ioctl(fd, _IOR('f', 19, char[12]), &handle));
    TRY("defragmented", ioctl(fd, _IOWR('f', 15, char[40]), &handle));
    TRY("lease", fcntl(fd, F_SETLEASE, F_RDLCK));
    TRY("lease_beyond", syscall(SYS_fcntl, fd, BEYOND(F_SETLEASE), F_RDLCK));
    TRY("write_hint", fcntl(fd, F_SET_RW_HINT, &hint));
    TRY("notify", fcntl(fd, F_NOTIFY, 1));
    TRY("write_lock", fcntl(fd, F_SETLK, &whole));
    TRY("removed", unlink(path));
    TRY("moved", rename(path, "taken"));
    TRY("exchanged", renameat2(AT_FDCWD, path, AT_FDCWD, ".", RENAME_EXCHANGE));
    TRY("linked", link(path, "linked"));
    TRY("linked_by_descriptor", linkat(fd, "", AT_FDCWD, "linked", AT_EMPTY_PATH));
    TRY("linked_through_proc", linkat(AT_FDCWD, again(fd), AT_FDCWD, "linked", AT_SYMLINK_FOLLOW));
    RAW("handle", SYS_name_to_handle_at, AT_FDCWD, path, &handle, &mount_id, 0);
    RAW("by_handle", SYS_open_by_handle_at, fd, &handle, O_RDWR);
    RAW("frozen", SYS_ioctl, fd, FIFREEZE, 0);
    close(fd);
}

/* `path`: a file the call was not given. */
static void files(hostile_call* c) {
    const char* path = string_argument(c, "/path");
    const char* folder = string_argument(c, "/folder");
    const struct timespec epoch[2] = {{0, 0}, {0, 0}};
    unsigned long long how[3] = {O_RDONLY, 0, 0};
    char name[4200];
    int watch;
    TRY("read", open(path, O_RDONLY));
    TRY("written", open(path, O_WRONLY));
    TRY("emptied_by_opening", open(path, O_RDONLY | O_TRUNC));
    RAW("opened_2", SYS_openat2, AT_FDCWD, path, how, sizeof how);
    snprintf(name, sizeof name, "/proc/self/root%s", path);
    TRY("through_root", open(name, O_RDONLY));
    snprintf(name, sizeof name, "/proc/%d/root%s", (int)getppid(), path);
    TRY("through_root_of_parent", open(name, O_RDONLY));
    snprintf(name, sizeof name, "/proc/%d/cwd", (int)getppid());
    TRY("through_folder_of_parent", open(name, O_RDONLY | O_DIRECTORY));
    snprintf(name, sizeof name, "/proc/%d/fd/0", (int)getppid());
    TRY("descriptor_of_parent", open(name, O_RDONLY));
    snprintf(name, sizeof name, "/proc/%d/mem", (int)getppid());
    TRY("memory_of_parent", open(name, O_RDWR));
    snprintf(name, sizeof name, "/proc/%d/environ", (int)getppid());
    TRY("environment_of_parent", open(name, O_RDONLY));
    snprintf(name, sizeof name, "/proc/%d/oom_score_adj", (int)getppid());
    TRY("oom_score_of_parent", open(name, O_WRONLY));
    TRY("oom_score_of_itself", open("/proc/self/oom_score_adj", O_WRONLY));
    TRY("sysrq", open("/proc/sysrq-trigger", O_WRONLY));
    TRY("sysctl", open("/proc/sys/kernel/core_pattern", O_WRONLY));
    TRY("memory_device", open("/dev/mem", O_RDONLY));
    TRY("shared_memory", open("/dev/shm/hostile", O_RDWR | O_CREAT, 0600));
    TRY("terminal", open("/dev/tty", O_RDWR));
    TRY("passwords", open("/etc/shadow", O_RDONLY));
    TRY("users", open("/etc/passwd", O_RDONLY));
    TRY("cgroup", open("/sys/fs/cgroup/cgroup.procs", O_WRONLY));
    TRY("folder_listed", open(folder, O_RDONLY | O_DIRECTORY));
    TRY("folder_below_itself", open("..", O_RDONLY | O_DIRECTORY));
    snprintf(name, sizeof name, "%s/made", folder);
    TRY("created", open(name, O_WRONLY | O_CREAT, 0600));
    TRY("created_without_name", open(folder, O_RDWR | O_TMPFILE, 0600));
    TRY("folder_made", mkdir(name, 0700));
    TRY("pipe_made", mkfifo(name, 0600));
    TRY("device_made", mknod(name, S_IFCHR | 0600, 0x103));
    TRY("device_made_here", mknod("device", S_IFCHR | 0600, 0x103));
    TRY("link_made", symlink(path, name));
    TRY("link_made_here", symlink(path, "link"));
    TRY("hard_link_made_here", link(path, "linked"));
    TRY("removed", unlink(path));
    TRY("folder_removed", rmdir(folder));
    TRY("moved", rename(path, "taken"));
    TRY("mode", chmod(path, 0777));
    TRY("mode_of_folder", chmod(folder, 0777));
    RAW("mode_at_2", 452 /* fchmodat2 */, AT_FDCWD, path, 0777, 0);
    TRY("owner", chown(path, 1, 1));
    TRY("times", utimensat(AT_FDCWD, path, epoch, 0));
    TRY("attribute", syscall(SYS_setxattr, path, "user.hostile", "1", 1, 0));
    RAW("attribute_at", 463 /* setxattrat */, AT_FDCWD, path, 0, "user.hostile", &epoch, 16);
    TRY("emptied", truncate(path, 0));
    TRY("mode_here", fchmod(open("mine", O_WRONLY | O_CREAT, 0600), 04777));
    TRY("watching", watch = (int)syscall(SYS_inotify_init1, O_NONBLOCK));
    RAW("watched", SYS_inotify_add_watch, watch, folder, 0xfff);
    TRY("watching_everything", syscall(SYS_fanotify_init, 0, 0));
    TRY("root_changed", chroot("."));
    TRY("mounted", syscall(SYS_mount, path, folder, "none", 4096, 0));
    TRY("unmounted", syscall(SYS_umount2, folder, 2));
    RAW("tree_opened", SYS_open_tree, AT_FDCWD, folder, 1);
    RAW("tree_opened_with_attributes", 467, AT_FDCWD, folder, 1, NULL, 0);
    RAW("mounts_told", 457 /* statmount */, how, name, 512, 0);
    RAW("mounts_listed", 458 /* listmount */, how, name, 8, 0);
    RAW("quota", SYS_quotactl, 0x800002, path, 0, NULL);
    RAW("quota_by_descriptor", 443, 0, 0x800002, 0, NULL);
    TRY("synced", syscall(SYS_syncfs, 1));
    RAW("synced_all", SYS_sync);
    TRY("accounted", syscall(SYS_acct, path));
    TRY("swapped", syscall(SYS_swapon, path, 0));
}

static void kernel_objects(hostile_call* c) {
    const int shm = (int)integer_argument(c, "/shm"), msg = (int)integer_argument(c, "/msg"),
              sem = (int)integer_argument(c, "/sem");
    const char* queue = string_argument(c, "/name");
    struct {
        long type;
        char text[8];
    } message = {1, "hostile"};
    struct {
        unsigned short number;
        short by, flags;
    } up = {0, 1, 0};
    static char space[512];
    RAW("memory_made", SYS_shmget, 0, 4096, 01600);
    RAW("memory_attached", SYS_shmat, shm, NULL, 0);
    RAW("memory_counted", SYS_shmctl, 0, 13 /* SHM_STAT */, space);
    RAW("memory_removed", SYS_shmctl, shm, 0 /* IPC_RMID */, NULL);
    RAW("messages_made", SYS_msgget, 0, 01600);
    RAW("message_sent", SYS_msgsnd, msg, &message, 8, 04000);
    RAW("message_taken", SYS_msgrcv, msg, &message, 8, 0, 04000);
    RAW("messages_removed", SYS_msgctl, msg, 0, NULL);
    RAW("semaphores_made", SYS_semget, 0, 1, 01600);
    RAW("semaphore_raised", SYS_semop, sem, &up, 1);
    RAW("semaphore_raised_in_time", SYS_semtimedop, sem, &up, 1, NULL);
    RAW("semaphore_set", SYS_semctl, sem, 0, 16 /* SETVAL */, 7);
    RAW("semaphores_removed", SYS_semctl, sem, 0, 0);
    RAW("queue_opened", SYS_mq_open, queue, O_RDWR, 0, NULL);
    RAW("queue_made", SYS_mq_open, "hostile", O_RDWR | O_CREAT, 0600, NULL);
    RAW("queue_removed", SYS_mq_unlink, queue);
    RAW("key_added", SYS_add_key, "user", "hostile", "x", 1, -3);
    RAW("key_requested", SYS_request_key, "user", "hostile", NULL, -3);
    RAW("keyring", SYS_keyctl, 0, -3, 1);
    RAW("file_in_memory", SYS_memfd_create, "hostile", 0);
    RAW("secret_memory", 447, 0);
    RAW("program", SYS_bpf, 0, NULL, 0);
    RAW("ring", SYS_io_uring_setup, 8, space);
    RAW("faults", SYS_userfaultfd, 1);
    RAW("counters", SYS_perf_event_open, NULL, 0, -1, -1, 0);
    RAW("log", SYS_syslog, 3, NULL, 0);
    RAW("module", SYS_init_module, NULL, 0, "");
    RAW("module_by_descriptor", SYS_finit_module, 0, "", 0);
    RAW("kexec", SYS_kexec_load, 0, 0, NULL, 0);
    RAW("clock", SYS_clock_settime, 0, NULL);
    RAW("clock_adjusted", SYS_clock_adjtime, 0, NULL);
    TRY("host_name", sethostname("hostile", 7));
    TRY("domain_name", setdomainname("hostile", 7));
    RAW("hung_up", SYS_vhangup);
    RAW("personality", SYS_personality, 0x40000 /* ADDR_NO_RANDOMIZE */);
    RAW("page_broken", SYS_madvise, mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 4096,
        100 /* MADV_HWPOISON */);
}

static void processes(hostile_call* c) {
    const pid_t pid = (pid_t)integer_argument(c, "/pid");
    char* const arguments[] = {"/bin/true", NULL};
    static char stack[16384];
    unsigned long long how[11] = {0};
    void* head = NULL;
    size_t size = 0;
    pid_t child;
    how[4] = SIGCHLD;
#define CHILD(name, made)         \
    do {                          \
        errno = 0;                \
        child = (pid_t)(made);    \
        if (child == 0) _exit(0); \
        tried(c, name, child);    \
    } while (0)
    CHILD("fork", fork());
#ifdef SYS_fork
    CHILD("fork_number", syscall(SYS_fork));
    CHILD("vfork_number", syscall(SYS_vfork));
#endif
    CHILD("clone", syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0));
    CHILD("clone_sharing_memory", syscall(SYS_clone, CLONE_VM | SIGCHLD, stack + sizeof stack, 0, 0, 0));
    CHILD("clone_sibling", syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0));
    CHILD("clone_beyond", syscall(SYS_clone, BEYOND(SIGCHLD), 0, 0, 0, 0));
    CHILD("clone_new_user", syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0));
    CHILD("clone3", syscall(SYS_clone3, how, 88));
    RAW("execve", SYS_execve, arguments[0], arguments, arguments + 1);
    RAW("execveat", SYS_execveat, AT_FDCWD, arguments[0], arguments, arguments + 1, 0);
    RAW("ptrace", SYS_ptrace, 16 /* ATTACH */, pid, 0, 0);
    RAW("ptrace_seize", SYS_ptrace, 0x4206, pid, 0, 0);
    RAW("ptrace_parent", SYS_ptrace, 16, getppid(), 0, 0);
    RAW("traced_by_parent", SYS_ptrace, 0, 0, 0, 0);
    RAW("memory_read", SYS_process_vm_readv, pid, NULL, 0, NULL, 0, 0);
    RAW("memory_written", SYS_process_vm_writev, getppid(), NULL, 0, NULL, 0, 0);
    RAW("memory_advised", SYS_process_madvise, 3, NULL, 0, 20, 0);
    RAW("memory_released", 448, 3, 0);
    RAW("compared", SYS_kcmp, pid, getppid(), 0, 0, 0);
    RAW("locks_of_others", SYS_get_robust_list, pid, &head, &size);
    RAW("locks_of_parent", SYS_get_robust_list, getppid(), &head, &size);
    RAW("namespace_new_user", SYS_unshare, CLONE_NEWUSER);
    RAW("namespace_new_mounts", SYS_unshare, CLONE_NEWNS);
    RAW("namespace_new_net", SYS_unshare, CLONE_NEWNET);
    RAW("namespace_entered", SYS_setns, 0, 0);
    RAW("user_changed", SYS_setuid, getuid());
    RAW("users_changed", SYS_setresuid, -1, -1, -1);
    RAW("group_changed", SYS_setgid, getgid());
    RAW("groups_changed", SYS_setgroups, 0, NULL);
    RAW("user_of_files_changed", SYS_setfsuid, 65534);
    RAW("capabilities", SYS_capset, NULL, NULL);
}

static void network(hostile_call* c) {
    static const struct {
        const char* name;
        int family, type, protocol;
    } kinds[] = {{"tcp", AF_INET, SOCK_STREAM, 0},
                 {"udp", AF_INET, SOCK_DGRAM, 0},
                 {"tcp6", AF_INET6, SOCK_STREAM, 0},
                 {"udp6", AF_INET6, SOCK_DGRAM, 0},
                 {"raw", AF_INET, SOCK_RAW, 1},
                 {"ping", AF_INET, SOCK_DGRAM, 1},
                 {"mptcp", AF_INET, SOCK_STREAM, 262},
                 {"sctp", AF_INET, SOCK_SEQPACKET, 132},
                 {"unix", AF_UNIX, SOCK_STREAM, 0},
                 {"unix_datagram", AF_UNIX, SOCK_DGRAM, 0},
                 {"netlink", AF_NETLINK, SOCK_RAW, 0},
                 {"packet", AF_PACKET, SOCK_RAW, 0},
                 {"vsock", 40, SOCK_STREAM, 0},
                 {"crypto", 38, SOCK_SEQPACKET, 0},
                 {"bluetooth", 31, SOCK_RAW, 0},
                 {"can", 29, SOCK_RAW, 1},
                 {"xdp", 44, SOCK_RAW, 0}};
    const char* names[] = {string_argument(c, "/socket"), string_argument(c, "/name")};
    int pair[2];
    struct sockaddr_un to;
    struct {
        unsigned short family, port;
        unsigned address;
        char zero[8];
    } tcp = {AF_INET, (unsigned short)integer_argument(c, "/port"), 0x0100007f, {0}};
    char name[40];
    size_t i;
    int fd;
    tcp.port = (unsigned short)(tcp.port << 8 | tcp.port >> 8);
    for (i = 0; i < sizeof kinds / sizeof *kinds; ++i) {
        TRY(kinds[i].name, fd = socket(kinds[i].family, kinds[i].type, kinds[i].protocol));
        if (fd >= 0) {
            connect(fd, (struct sockaddr*)&tcp, sizeof tcp);
            sendto(fd, "hostile", 7, 0, (struct sockaddr*)&tcp, sizeof tcp);
        }
    }
    RAW("socket_beyond", SYS_socket, BEYOND(AF_INET), SOCK_STREAM, 0);
    TRY("pair", socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
    for (fd = 0; fd < 16; ++fd)
        for (i = 0; i < 2; ++i) {
            memset(&to, 0, sizeof to);
            to.sun_family = AF_UNIX;
            strncpy(to.sun_path + i, names[i], sizeof to.sun_path - 2);
            snprintf(name, sizeof name, "connect_%d_%s", fd, i ? "abstract" : "path");
            TRY(name, connect(fd, (struct sockaddr*)&to,
                              i ? (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(names[1]))
                                : (socklen_t)sizeof to));
        }
    TRY("bind", bind(3, (struct sockaddr*)&tcp, sizeof tcp));
    TRY("listen", listen(3, 1));
    TRY("accept", accept(3, NULL, NULL));
}

HOSTILE(hostile_attempts) {
    BEGIN;
    static const struct {
        const char* name;
        void (*attempt)(hostile_call*);
    } groups[] = {{"scheduling", scheduling},         {"limits", limits},       {"signals", signals},
                  {"descriptors", descriptors},       {"input", input},         {"files", files},
                  {"kernel objects", kernel_objects}, {"processes", processes}, {"network", network}};
    char group[32];
    size_t i;
    snprintf(group, sizeof group, "%.31s", string_argument(c, "/group"));
    for (i = 0; i < sizeof groups / sizeof *groups; ++i)
        if (strcmp(groups[i].name, group) == 0) groups[i].attempt(c);
    return report(c);
}
