// What a call's process may do: rlimits, Landlock for files, seccomp for everything else (Landlock alone leaves
// sockets, chmod and signals open). All of it is inherited by threads and cannot be taken back.
#pragma once
#include <linux/filter.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/problem.hpp"

namespace gdalmcp::worker {

struct limits {
    std::uint64_t address_space = 0;  // bytes, RLIMIT_AS; 0 = unlimited (sanitizer builds)
    std::uint64_t file_size = 0;      // bytes, RLIMIT_FSIZE; 0 = unlimited
    std::uint64_t descriptors = 0;    // RLIMIT_NOFILE; 0 = 512
};
base::result<void> set_limits(const limits& l);

// Whether a write of this process went over file_size.
bool file_limit_met();

// Paths that must not exist are skipped. Folders are granted with everything below them.
struct access {
    std::vector<std::filesystem::path> read;  // files or folders
    std::vector<std::filesystem::path>
        write;  // folders: create, read, write, remove, truncate below them; no devices, no links out
    std::vector<std::filesystem::path> list;  // folders whose names may be read, and those of the folders below
    bool network = false;                     // TCP is left alone
};

// 0 when the kernel has no Landlock.
int landlock_version();

// Restricts this process further (layers only ever narrow). Sets no_new_privs. Kernel ABI >= 6 also keeps signals and
// abstract sockets inside.
base::result<void> restrict_files(const access& a);

// A compiled filter. See sandbox.cpp for what it denies and why.
class syscall_filter {
public:
    // network: internet sockets may be opened and connected, never listened on.
    static base::result<syscall_filter> compile(bool network);
    // Denied calls fail with EPERM (clone3 with ENOSYS, so that threads fall back to clone). Sets no_new_privs.
    base::result<void> install() const;

private:
    std::vector<sock_filter> program_;
};

// Compiled once per zygote, installed in every child.
struct syscall_filters {
    syscall_filter closed, network;
    static base::result<syscall_filters> compile();
    const syscall_filter& of(bool with_network) const { return with_network ? network : closed; }
};

}  // namespace gdalmcp::worker
