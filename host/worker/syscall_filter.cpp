#include "worker/syscall_filter.hpp"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <initializer_list>
#include <memory>

#include "worker/errno_text.hpp"

namespace gdalmcp::worker {

using base::fail;
using base::result;
using runner::descriptor;
namespace code = base::code;

namespace {

// Stands for the child's own pid in the compiled program until install() knows it.
constexpr std::uint32_t own_pid = 0x7e57f00d;

struct context_release {
    void operator()(void* c) const { seccomp_release(c); }
};

// Grouped by what they would let a plugin do:
constexpr const char* denied_calls[] = {
    // reach out: the frame socket is inherited, nothing else is needed
    "socketpair", "bind", "listen", "accept", "accept4",
    // start programs and processes
    "execve", "execveat", "fork", "vfork", "setsid", "setpgid",
    // change files it may only read, through rights Landlock does not cover
    "chmod", "fchmod", "fchmodat", "chown", "fchown", "lchown", "fchownat", "utime", "utimes", "utimensat", "futimesat",
    "setxattr", "lsetxattr", "fsetxattr", "removexattr", "lremovexattr", "fremovexattr", "truncate", "symlink",
    "symlinkat", "mknod", "mknodat",
    // learn the names in folders it may not list, and use up the watches of the user's other programs
    "inotify_init", "inotify_init1", "inotify_add_watch", "fanotify_init",
    // look into or steer other processes
    "tkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo", "pidfd_send_signal", "pidfd_open", "pidfd_getfd", "ptrace",
    "process_vm_readv", "process_vm_writev", "process_madvise", "process_mrelease", "kcmp", "migrate_pages",
    "move_pages", "get_robust_list",
    // take the processor or the disk from others; of itself, too: under root a real-time class stops the machine
    "setpriority", "sched_setaffinity", "sched_setscheduler", "sched_setparam", "sched_setattr", "ioprio_set", "sync",
    "syncfs",
    // leave something behind in the kernel, or use what others keep there
    "shmget", "shmat", "shmctl", "msgget", "msgsnd", "msgrcv", "msgctl", "semget", "semop", "semtimedop", "semctl",
    "mq_open", "mq_unlink", "add_key", "request_key", "keyctl",
    // memory that no limit counts
    "memfd_create", "memfd_secret",
    // wide kernel surface that geodata does not need
    "bpf", "io_uring_setup", "io_uring_enter", "io_uring_register", "userfaultfd", "perf_event_open", "mount",
    "umount2", "move_mount", "open_tree", "fsopen", "fsmount", "fsconfig", "fspick", "mount_setattr", "pivot_root",
    "chroot", "setns", "unshare", "open_by_handle_at", "name_to_handle_at", "init_module", "finit_module",
    "delete_module", "kexec_load", "kexec_file_load", "reboot", "swapon", "swapoff", "acct", "quotactl", "quotactl_fd",
    "personality", "settimeofday", "clock_settime", "clock_adjtime", "adjtimex", "sethostname", "setdomainname", "iopl",
    "ioperm", "modify_ldt", "lookup_dcookie", "syslog", "vhangup", "setuid", "setgid", "setreuid", "setregid",
    "setresuid", "setresgid", "setgroups", "setfsuid", "setfsgid", "capset", "setrlimit"};

// Calls are numbered in the order they came to Linux, on every architecture alike from 424 on. Those from here on
// (fchmodat2, setxattrat, file_setattr, …) are younger than the list above, whatever libseccomp knows of them;
// libraries take ENOSYS for an older kernel.
constexpr std::uint32_t first_unlisted_call = 451;  // after set_mempolicy_home_node, Linux 5.17

// The allowed ioctl(2) requests. Others change the object behind a descriptor: the operator's terminal, the attributes
// of an input, under root the file system and the network.
constexpr std::uint32_t allowed_ioctls[] = {TCGETS,        TIOCGWINSZ,     // isatty, and how wide it is
                                            FIONREAD,                      // of sockets and pipes
                                            FIOCLEX,       FIONCLEX,       // close-on-exec
                                            FS_IOC_FIEMAP,                 // GDAL: where a file has holes
                                            FICLONE,       FICLONERANGE};  // copies that share blocks

constexpr std::uint32_t deny = SCMP_ACT_ERRNO(EPERM);
constexpr scmp_datum_t lower_half = 0xffffffffu;  // of a register, for arguments of which the kernel reads no more

// Rules of one filter; `ok` stays true as long as libseccomp takes them. (Its SCMP_A0(…) are compound literals, which
// C++ does not have.)
struct rules {
    scmp_filter_ctx filter;
    bool ok = true;

    void add(std::uint32_t action, int number, std::initializer_list<scmp_arg_cmp> tests = {}) {
        ok = ok && seccomp_rule_add_array(filter, action, number, static_cast<unsigned>(tests.size()),
                                          tests.size() ? tests.begin() : nullptr) == 0;
    }
    void add(std::uint32_t action, int number, unsigned argument, scmp_compare how, scmp_datum_t a,
             scmp_datum_t b = 0) {
        add(action, number, {scmp_arg_cmp{argument, how, a, b}});
    }
};

constexpr scmp_arg_cmp equals(unsigned argument, scmp_datum_t value) {
    return {argument, SCMP_CMP_MASKED_EQ, lower_half, value};
}

// Internet sockets only: a Unix socket reaches any listener on this machine.
void allow_internet(rules& r) {
    r.add(deny, SCMP_SYS(socket), 0, SCMP_CMP_GE, AF_MAX);
    for (unsigned family = 0; family < AF_MAX; ++family)
        if (family != AF_INET && family != AF_INET6) r.add(deny, SCMP_SYS(socket), 0, SCMP_CMP_EQ, family);
}

// 0, 1 and 2 are the host's own, and so is their O_NONBLOCK. Sockets need it; where there are none it is refused
// altogether, and where there are, on those three and on copies of them.
void keep_standard_streams(rules& r, bool network) {
    if (!network) {
        r.add(deny, SCMP_SYS(fcntl), {equals(1, F_SETFL)});
        return;
    }
    for (const unsigned stream : {0u, 1u, 2u}) {
        for (const unsigned command : {F_SETFL, F_DUPFD, F_DUPFD_CLOEXEC})
            r.add(deny, SCMP_SYS(fcntl), {equals(0, stream), equals(1, command)});
        r.add(deny, SCMP_SYS(ioctl), {equals(0, stream), equals(1, FIONBIO)});
        r.add(deny, SCMP_SYS(dup), {equals(0, stream)});
        if (SCMP_SYS(dup2) >= 0) r.add(deny, SCMP_SYS(dup2), {equals(0, stream)});  // aarch64 has dup3 only
        r.add(deny, SCMP_SYS(dup3), {equals(0, stream)});
    }
}

bool add_rules(scmp_filter_ctx filter, bool network) {
    // A binary tree: on installing, the kernel runs the program once for every system call there is.
    rules r{filter, seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 2) == 0};
    for (const char* name : denied_calls) {
        const int number = seccomp_syscall_resolve_name(name);
        if (number >= 0) r.add(deny, number);  // otherwise this architecture lacks it
    }
    if (network)
        allow_internet(r);
    else
        for (const int call : {SCMP_SYS(socket), SCMP_SYS(connect)}) r.add(deny, call);
    keep_standard_streams(r, network);
    // Allows threads, each with a notification, but no processes; clone3 hides its flags behind a pointer, so ENOSYS
    // makes libc use clone.
    r.add(deny, SCMP_SYS(clone), 0, SCMP_CMP_MASKED_EQ, CLONE_THREAD, 0);
    r.add(SCMP_ACT_NOTIFY, SCMP_SYS(clone), 0, SCMP_CMP_MASKED_EQ, CLONE_THREAD, CLONE_THREAD);
    r.add(SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3));
    // Signals to itself only: abort() needs tgkill.
    r.add(deny, SCMP_SYS(kill), 0, SCMP_CMP_NE, own_pid);
    r.add(deny, SCMP_SYS(tgkill), 0, SCMP_CMP_NE, own_pid);
    // No signals through the owner of a descriptor, and no leases, which keep others from opening a file.
    for (const unsigned command : {F_SETOWN, F_SETOWN_EX, F_SETSIG, F_SETLEASE, F_NOTIFY, F_SET_RW_HINT})
        r.add(deny, SCMP_SYS(fcntl), {equals(1, command)});
    // Before Landlock ABI 3 (Linux 6.2; Debian 12 runs 6.1) a file that may only be read can be emptied by opening it
    // with O_TRUNC for reading, or for neither (3). openat2 hides its flags behind a pointer.
    for (const unsigned mode : {0u, 3u}) {
        r.add(deny, SCMP_SYS(openat), 2, SCMP_CMP_MASKED_EQ, O_ACCMODE | O_TRUNC, mode | O_TRUNC);
        if (SCMP_SYS(open) >= 0)  // aarch64 has openat only
            r.add(deny, SCMP_SYS(open), 1, SCMP_CMP_MASKED_EQ, O_ACCMODE | O_TRUNC, mode | O_TRUNC);
    }
    r.add(SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(openat2));
    // Keeps the parent-death signal armed, core scheduling unchanged and the limits as set.
    for (const unsigned option : {PR_SET_PDEATHSIG, PR_SCHED_CORE}) r.add(deny, SCMP_SYS(prctl), {equals(0, option)});
    r.add(deny, SCMP_SYS(prlimit64), 2, SCMP_CMP_NE, 0);
    return r.ok;
}

// Rules libseccomp cannot express, placed before its program: every number from one on, and every value except those of
// a list. They allow nothing that the program denies.
std::vector<sock_filter> preamble(bool network) {
    const auto load = [](std::size_t at) -> sock_filter {
        return BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(at));
    };
    // The lower half of an argument, on the little-endian architectures there are builds for.
    const auto load_argument = [&](std::size_t i) { return load(offsetof(seccomp_data, args) + 8 * i); };
    const auto refuse = [](std::uint32_t error) -> sock_filter {
        return BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error);
    };
    const auto skip = [](int test, std::uint32_t value, std::size_t if_true, std::size_t if_false) -> sock_filter {
        return BPF_JUMP(static_cast<std::uint16_t>(BPF_JMP | test | BPF_K), value, static_cast<std::uint8_t>(if_true),
                        static_cast<std::uint8_t>(if_false));
    };
    std::vector<std::uint32_t> ioctls(std::begin(allowed_ioctls), std::end(allowed_ioctls));
    if (network) ioctls.push_back(FIONBIO);  // see keep_standard_streams()
    std::vector<sock_filter> p{load(offsetof(seccomp_data, nr)), skip(BPF_JGE, first_unlisted_call, 0, 1),
                               refuse(ENOSYS), skip(BPF_JEQ, SYS_ioctl, 0, ioctls.size() + 2), load_argument(1)};
    for (std::size_t i = 0; i < ioctls.size(); ++i) p.push_back(skip(BPF_JEQ, ioctls[i], ioctls.size() - i, 0));
    p.push_back(refuse(EPERM));
    return p;
}

}  // namespace

result<syscall_filter> syscall_filter::compile(bool network) {
    const std::unique_ptr<void, context_release> filter{seccomp_init(SCMP_ACT_ALLOW)};
    if (!filter || !add_rules(filter.get(), network))
        return fail(code::internal, "cannot build the system call filter");
    // Through a pipe, which RLIMIT_FSIZE does not affect; the longest program the kernel accepts fits into its buffer.
    int ends[2] = {-1, -1};
    if (::pipe2(ends, O_CLOEXEC) != 0)
        return fail(code::internal, "cannot compile the system call filter" + errno_text());
    const descriptor from{ends[0]};
    descriptor to{ends[1]};
    if (seccomp_export_bpf(filter.get(), to.get()) != 0)
        return fail(code::internal, "cannot compile the system call filter" + errno_text());
    to.reset();
    syscall_filter f{preamble(network)};
    sock_filter instruction{};
    while (::read(from.get(), &instruction, sizeof instruction) == static_cast<ssize_t>(sizeof instruction))
        f.program_.push_back(instruction);
    return f;
}

result<descriptor> syscall_filter::install() const {
    auto program = program_;
    for (auto& instruction : program)
        if (BPF_CLASS(instruction.code) == BPF_JMP && instruction.k == own_pid)
            instruction.k = static_cast<std::uint32_t>(::getpid());
    const sock_fprog p{static_cast<unsigned short>(program.size()), program.data()};
    const auto set = [&](unsigned flags) { return ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &p); };
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return fail(code::internal, "cannot give up privileges" + errno_text());
    if (const auto starts = set(SECCOMP_FILTER_FLAG_NEW_LISTENER); starts >= 0)
        return descriptor{static_cast<int>(starts)};
    // A process has one such descriptor at most, and one of a container may belong to the container's supervisor.
    for (auto& instruction : program)
        if (BPF_CLASS(instruction.code) == BPF_RET && instruction.k == SECCOMP_RET_USER_NOTIF)
            instruction.k = SECCOMP_RET_ALLOW;
    if (set(0) != 0) return fail(code::internal, "cannot install the system call filter" + errno_text());
    return descriptor{};
}

}  // namespace gdalmcp::worker
