#include "worker/sandbox.hpp"

#include <fcntl.h>
#include <linux/capability.h>
#include <linux/landlock.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "worker/errno_text.hpp"

namespace gdalmcp::worker {

using base::fail;
using base::result;
using runner::descriptor;
namespace code = base::code;

namespace {

// Debian 12's header stops at REFER; the kernel's ABI version tells what it supports. Source: linux/landlock.h.
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

descriptor open_path(const std::filesystem::path& path) { return descriptor{::open(path.c_str(), O_PATH | O_CLOEXEC)}; }

result<void> allow(int ruleset, int opened, const std::filesystem::path& path, std::uint64_t rights) {
    const auto add = [&](std::uint64_t wanted) {
        const landlock_path_beneath_attr rule{wanted, opened};
        return ::syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) == 0;
    };
    if (add(rights)) return {};
    // Rights that only make sense for folders are refused on files.
    if (errno == EINVAL && add(rights & (read_file | LANDLOCK_ACCESS_FS_WRITE_FILE | fs_truncate))) return {};
    return fail(code::internal, "cannot grant " + path.string() + errno_text());
}

result<void> allow(int ruleset, const std::filesystem::path& path, std::uint64_t rights) {
    const auto at = open_path(path);
    return at ? allow(ruleset, at.get(), path, rights) : result<void>{};  // missing: nothing to grant
}

volatile std::sig_atomic_t wrote_too_much = 0;

}  // namespace

result<void> set_limits(const runner::limits& l) {
    // A lower existing limit applies to the call: only root could raise a hard limit, and must not.
    const auto set = [](auto which, std::uint64_t value) {
        rlimit r{};
        if (::getrlimit(which, &r) != 0) return false;
        r.rlim_cur = r.rlim_max = std::min<rlim_t>(value, r.rlim_max);
        return ::setrlimit(which, &r) == 0;
    };
    // A write over the limit fails with EFBIG instead of killing. GDAL's drivers report that in many ways, or not at
    // all; the signal is the only reliable report.
    struct sigaction over {};
    over.sa_handler = [](int) { wrote_too_much = 1; };
    over.sa_flags = SA_RESTART;
    ::sigaction(SIGXFSZ, &over, nullptr);
    if ((l.address_space && !set(RLIMIT_AS, l.address_space)) || (l.file_size && !set(RLIMIT_FSIZE, l.file_size)) ||
        !set(RLIMIT_NOFILE, l.descriptors ? l.descriptors : 512) || !set(RLIMIT_CORE, 0))
        return fail(code::internal, "cannot set the limits of the call" + errno_text());
    return {};
}

bool file_limit_met() { return wrote_too_much != 0; }

int landlock_version() {
    const auto v = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
    return v > 0 ? static_cast<int>(v) : 0;
}

common_paths::common_paths(std::vector<std::filesystem::path> paths) {
    for (auto& p : paths) {
        auto opened = open_path(p);
        entries_.push_back({std::move(p), std::move(opened)});
    }
}

int common_paths::end(int first) const {
    for (const auto& e : entries_) first = std::max(first, e.opened.get() + 1);
    return first;
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
    if (!ruleset) return fail(code::internal, "cannot make a Landlock ruleset" + errno_text());
    if (a.common)
        for (const auto& [path, opened] : a.common->entries())
            if (auto ok = opened ? allow(ruleset.get(), opened.get(), path, read_tree)
                                 : allow(ruleset.get(), path, read_tree);
                !ok)
                return ok;
    for (const auto& p : a.read)
        if (auto ok = allow(ruleset.get(), p, read_tree); !ok) return ok;
    for (const auto& p : a.list)
        if (auto ok = allow(ruleset.get(), p, LANDLOCK_ACCESS_FS_READ_DIR); !ok) return ok;
    for (const auto& p : a.write)
        if (auto ok = allow(ruleset.get(), p, write_tree(version)); !ok) return ok;
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || ::syscall(SYS_landlock_restrict_self, ruleset.get(), 0) != 0)
        return fail(code::internal, "cannot apply the Landlock ruleset" + errno_text());
    return {};
}

result<void> drop_capabilities() {
    constexpr std::uint32_t kept = 1u << CAP_DAC_OVERRIDE | 1u << CAP_DAC_READ_SEARCH;
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> sets{};
    if (::syscall(SYS_capget, &header, sets.data()) == 0) {
        const auto effective = sets[0].effective & kept, permitted = sets[0].permitted & kept;
        sets = {};
        sets[0].effective = effective;
        sets[0].permitted = permitted;
        if (::syscall(SYS_capset, &header, sets.data()) == 0) return {};
    }
    return fail(code::internal, "cannot give up capabilities" + errno_text());
}

}  // namespace gdalmcp::worker
