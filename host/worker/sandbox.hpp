// What a call's process may do: rlimits, Landlock for files, capabilities; syscall_filter.hpp has everything else
// (Landlock alone leaves sockets, chmod and signals open). All of it is inherited by threads and cannot be taken back.
#pragma once
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
// Hard limits that are lower already stay.
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

// Under root: keeps the right to read and write files whoever owns them, and no other privilege of root's.
base::result<void> drop_capabilities();

}  // namespace gdalmcp::worker
