#include "worker/sandbox.hpp"

#include <fcntl.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <memory>

#include "runner/descriptor.hpp"

namespace gdalmcp::worker {

using base::fail;
using base::result;
using runner::descriptor;
namespace code = base::code;

namespace {

std::string because() { return std::string{": "} + std::strerror(errno); }

// ---- Landlock ------------------------------------------------------------------------------------------------------

// Debian 12's header stops at REFER; the kernel says by its ABI version what it understands. Source: linux/landlock.h.
constexpr std::uint64_t fs_truncate = 1ull << 14;                                     // ABI 3
constexpr std::uint64_t fs_ioctl_dev = 1ull << 15;                                    // ABI 5
constexpr std::uint64_t net_bind_tcp = 1ull << 0, net_connect_tcp = 1ull << 1;        // ABI 4
constexpr std::uint64_t scope_abstract_socket = 1ull << 0, scope_signal = 1ull << 1;  // ABI 6

struct ruleset_attributes {
    std::uint64_t handled_access_fs, handled_access_net, scoped;
};

constexpr std::uint64_t read_file = LANDLOCK_ACCESS_FS_READ_FILE;
constexpr std::uint64_t read_tree = read_file | LANDLOCK_ACCESS_FS_READ_DIR;

std::uint64_t every_right(int version) {
    std::uint64_t all = (LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1;  // ABI 1: execute … make_sym
    if (version >= 2) all |= LANDLOCK_ACCESS_FS_REFER;
    if (version >= 3) all |= fs_truncate;
    if (version >= 5) all |= fs_ioctl_dev;
    return all;
}

// Symlinks are left out: one in an output folder could lead a later reader outside.
std::uint64_t write_tree(int version) {
    std::uint64_t rights = read_tree | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_FILE |
                           LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_DIR;
    if (version >= 2) rights |= LANDLOCK_ACCESS_FS_REFER;
    if (version >= 3) rights |= fs_truncate;
    return rights;
}

result<void> allow(int ruleset, const std::filesystem::path& path, std::uint64_t rights) {
    const descriptor at{::open(path.c_str(), O_PATH | O_CLOEXEC)};
    if (!at) return {};  // not there: nothing to grant
    struct stat s {};
    if (::fstat(at.get(), &s) != 0) return fail(code::internal, "cannot look at " + path.string() + because());
    // Rights that only make sense for folders are refused on files.
    if (!S_ISDIR(s.st_mode)) rights &= read_file | LANDLOCK_ACCESS_FS_WRITE_FILE | fs_truncate;
    const landlock_path_beneath_attr rule{rights, at.get()};
    if (::syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) != 0)
        return fail(code::internal, "cannot grant " + path.string() + because());
    return {};
}

// ---- seccomp -------------------------------------------------------------------------------------------------------

// Stands for the child's own pid in the compiled program until install() knows it.
constexpr std::uint32_t own_pid = 0x7e57f00d;

struct context_release {
    void operator()(void* c) const { seccomp_release(c); }
};

// By what they would let a plugin do:
constexpr const char* denied_calls[] = {
    // reach out: the frame socket is inherited, nothing else is needed
    "socketpair", "bind", "listen", "accept", "accept4",
    // start programs and processes
    "execve", "execveat", "fork", "vfork",
    // change files it may only read, through rights Landlock does not cover
    "chmod", "fchmod", "fchmodat", "fchmodat2", "chown", "fchown", "lchown", "fchownat", "utime", "utimes", "utimensat",
    "futimesat", "setxattr", "lsetxattr", "fsetxattr", "removexattr", "lremovexattr", "fremovexattr", "truncate",
    "symlink", "symlinkat", "mknod", "mknodat",
    // look into or steer other processes
    "tkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo", "pidfd_send_signal", "pidfd_open", "pidfd_getfd", "ptrace",
    "process_vm_readv", "process_vm_writev", "process_madvise", "process_mrelease", "kcmp", "migrate_pages",
    "move_pages",
    // leave something behind in the kernel
    "shmget", "msgget", "semget", "mq_open", "add_key", "request_key", "keyctl",
    // wide kernel surface nobody needs to read a raster
    "bpf", "io_uring_setup", "io_uring_enter", "io_uring_register", "userfaultfd", "perf_event_open", "fanotify_init",
    "mount", "umount2", "move_mount", "open_tree", "fsopen", "fsmount", "fsconfig", "fspick", "mount_setattr",
    "pivot_root", "chroot", "setns", "unshare", "open_by_handle_at", "name_to_handle_at", "init_module", "finit_module",
    "delete_module", "kexec_load", "kexec_file_load", "reboot", "swapon", "swapoff", "acct", "quotactl", "personality",
    "settimeofday", "clock_settime", "clock_adjtime", "adjtimex", "sethostname", "setdomainname", "iopl", "ioperm",
    "modify_ldt", "lookup_dcookie", "syslog", "vhangup", "setuid", "setgid", "setreuid", "setregid", "setresuid",
    "setresgid", "setgroups", "setfsuid", "setfsgid", "capset"};

constexpr std::uint32_t deny = SCMP_ACT_ERRNO(EPERM);

// Rules of one filter; `ok` stays true as long as libseccomp takes them. (Its SCMP_A0(…) are compound literals, which
// C++ does not have.)
struct rules {
    scmp_filter_ctx filter;
    bool ok = true;

    void add(std::uint32_t action, int number) {
        ok = ok && seccomp_rule_add_array(filter, action, number, 0, nullptr) == 0;
    }
    void add(std::uint32_t action, int number, unsigned argument, scmp_compare how, scmp_datum_t a,
             scmp_datum_t b = 0) {
        const scmp_arg_cmp test{argument, how, a, b};
        ok = ok && seccomp_rule_add_array(filter, action, number, 1, &test) == 0;
    }
};

// Sockets of the internet alone: a Unix socket leads to whatever listens on this machine.
void allow_internet(rules& r) {
    r.add(deny, SCMP_SYS(socket), 0, SCMP_CMP_GE, AF_MAX);
    for (unsigned family = 0; family < AF_MAX; ++family)
        if (family != AF_INET && family != AF_INET6) r.add(deny, SCMP_SYS(socket), 0, SCMP_CMP_EQ, family);
}

bool add_rules(scmp_filter_ctx filter, bool network) {
    // A binary tree: on installing, the kernel runs the program once for every system call there is.
    rules r{filter, seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 2) == 0};
    for (const char* name : denied_calls) {
        const int number = seccomp_syscall_resolve_name(name);
        if (number == __NR_SCMP_ERROR) continue;  // unknown to this libseccomp: unknown to the kernel of its time
        if (number >= 0) r.add(deny, number);
    }
    if (network)
        allow_internet(r);
    else
        for (const int call : {SCMP_SYS(socket), SCMP_SYS(connect)}) r.add(deny, call);
    // Threads, but no processes; clone3 hides its flags behind a pointer, so libc is told to use clone.
    r.add(deny, SCMP_SYS(clone), 0, SCMP_CMP_MASKED_EQ, CLONE_THREAD, 0);
    r.add(SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3));
    // Signals to itself only: abort() needs tgkill.
    r.add(deny, SCMP_SYS(kill), 0, SCMP_CMP_NE, own_pid);
    r.add(deny, SCMP_SYS(tgkill), 0, SCMP_CMP_NE, own_pid);
    // Before Landlock ABI 3 (Linux 6.2; Debian 12 runs 6.1) a file that may only be read can be emptied by opening it
    // with O_TRUNC for reading, or for neither (3). openat2 hides its flags behind a pointer.
    for (const unsigned mode : {0u, 3u}) {
        r.add(deny, SCMP_SYS(openat), 2, SCMP_CMP_MASKED_EQ, O_ACCMODE | O_TRUNC, mode | O_TRUNC);
        if (SCMP_SYS(open) >= 0)  // aarch64 has openat only
            r.add(deny, SCMP_SYS(open), 1, SCMP_CMP_MASKED_EQ, O_ACCMODE | O_TRUNC, mode | O_TRUNC);
    }
    r.add(SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(openat2));
    // The parent-death signal stays armed; the kernel looks at the lower half of the register only. Limits of others
    // stay as they are.
    r.add(deny, SCMP_SYS(prctl), 0, SCMP_CMP_MASKED_EQ, 0xffffffffu, PR_SET_PDEATHSIG);
    r.add(deny, SCMP_SYS(prlimit64), 2, SCMP_CMP_NE, 0);
    r.add(deny, SCMP_SYS(setrlimit));
    return r.ok;
}

volatile std::sig_atomic_t wrote_too_much = 0;

}  // namespace

result<void> set_limits(const limits& l) {
    const auto set = [](auto which, std::uint64_t value) {
        const rlimit r{value, value};
        return ::setrlimit(which, &r) == 0;
    };
    // A write over the limit fails with EFBIG instead of killing. GDAL's drivers word that in many ways, or not at all;
    // the signal is the one thing that says it every time.
    struct sigaction over {};
    over.sa_handler = [](int) { wrote_too_much = 1; };
    over.sa_flags = SA_RESTART;
    ::sigaction(SIGXFSZ, &over, nullptr);
    if ((l.address_space && !set(RLIMIT_AS, l.address_space)) || (l.file_size && !set(RLIMIT_FSIZE, l.file_size)) ||
        !set(RLIMIT_NOFILE, l.descriptors ? l.descriptors : 512) || !set(RLIMIT_CORE, 0))
        return fail(code::internal, "cannot set the limits of the call" + because());
    return {};
}

bool file_limit_met() { return wrote_too_much != 0; }

int landlock_version() {
    const auto v = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
    return v > 0 ? static_cast<int>(v) : 0;
}

result<void> restrict_files(const access& a) {
    const int version = landlock_version();
    if (version == 0)
        return fail(code::unsupported, "this kernel has no Landlock, so a tool's file access cannot be confined",
                    "use a kernel >= 5.13 with Landlock enabled, or start with --no-sandbox if you trust every bundle");
    ruleset_attributes attributes{every_right(version), 0, 0};
    if (version >= 4 && !a.network) attributes.handled_access_net = net_bind_tcp | net_connect_tcp;
    if (version >= 6) attributes.scoped = scope_abstract_socket | scope_signal;
    const std::size_t size = version >= 6 ? 24 : version >= 4 ? 16 : 8;
    const descriptor ruleset{static_cast<int>(::syscall(SYS_landlock_create_ruleset, &attributes, size, 0))};
    if (!ruleset) return fail(code::internal, "cannot make a Landlock ruleset" + because());
    for (const auto& p : a.read)
        if (auto ok = allow(ruleset.get(), p, read_tree); !ok) return ok;
    for (const auto& p : a.list)
        if (auto ok = allow(ruleset.get(), p, LANDLOCK_ACCESS_FS_READ_DIR); !ok) return ok;
    for (const auto& p : a.write)
        if (auto ok = allow(ruleset.get(), p, write_tree(version)); !ok) return ok;
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || ::syscall(SYS_landlock_restrict_self, ruleset.get(), 0) != 0)
        return fail(code::internal, "cannot apply the Landlock ruleset" + because());
    return {};
}

result<syscall_filter> syscall_filter::compile(bool network) {
    const std::unique_ptr<void, context_release> filter{seccomp_init(SCMP_ACT_ALLOW)};
    if (!filter || !add_rules(filter.get(), network))
        return fail(code::internal, "cannot build the system call filter");
    const descriptor file{::memfd_create("filter", MFD_CLOEXEC)};
    if (!file || seccomp_export_bpf(filter.get(), file.get()) != 0)
        return fail(code::internal, "cannot compile the system call filter" + because());
    syscall_filter f;
    sock_filter instruction{};
    ::lseek(file.get(), 0, SEEK_SET);
    while (::read(file.get(), &instruction, sizeof instruction) == static_cast<ssize_t>(sizeof instruction))
        f.program_.push_back(instruction);
    return f;
}

result<syscall_filters> syscall_filters::compile() {
    auto closed = syscall_filter::compile(false), open = syscall_filter::compile(true);
    if (!closed) return tl::unexpected{closed.error()};
    if (!open) return tl::unexpected{open.error()};
    return syscall_filters{std::move(*closed), std::move(*open)};
}

result<void> syscall_filter::install() const {
    auto program = program_;
    for (auto& instruction : program)
        if (BPF_CLASS(instruction.code) == BPF_JMP && instruction.k == own_pid)
            instruction.k = static_cast<std::uint32_t>(::getpid());
    const sock_fprog p{static_cast<unsigned short>(program.size()), program.data()};
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &p, 0, 0) != 0)
        return fail(code::internal, "cannot install the system call filter" + because());
    return {};
}

}  // namespace gdalmcp::worker
