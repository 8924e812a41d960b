// Confinement of a call's process: rlimits, Landlock for files, capabilities; syscall_filter.hpp has everything else
// (Landlock alone leaves sockets, chmod and signals open). All of it is inherited by threads and cannot be taken back.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/problem.hpp"
#include "runner/descriptor.hpp"
#include "runner/messages.hpp"

namespace gdalmcp::worker {

// Lower existing hard limits stay.
base::result<void> set_limits(const runner::limits& l);

// Whether a write of this process went over file_size.
bool file_limit_met();

// Paths every call may read, opened once in the zygote, so that children grant them without a path walk.
class common_paths {
public:
    struct entry {
        std::filesystem::path path;
        runner::descriptor opened;  // O_PATH; none if the path was missing: a child tries again
    };
    explicit common_paths(std::vector<std::filesystem::path> paths);
    const std::vector<entry>& entries() const { return entries_; }
    // One more than the largest descriptor held, at least `first`.
    int end(int first) const;
    // Before foreign code runs.
    void close() { entries_.clear(); }

private:
    std::vector<entry> entries_;
};

// Paths that do not exist are skipped. Folders are granted with everything below them.
struct access {
    const common_paths* common = nullptr;     // to read
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

// Under root: keeps only the right to read and write files of any owner.
base::result<void> drop_capabilities();

}  // namespace gdalmcp::worker
