// Renames that can be rolled back.
#pragma once
#include <filesystem>
#include <vector>

#include "base/problem.hpp"

namespace gdalmcp::workspace {

// Moves files one by one and, unless commit() is called, moves them all back when it goes out of scope. Paths are
// absolute; a symbolic link in the place of one of their folders is an error.
class renames {
public:
    renames() = default;
    renames(const renames&) = delete;
    renames& operator=(const renames&) = delete;
    renames(renames&&) = delete;
    renames& operator=(renames&&) = delete;
    ~renames();

    // `from` becomes `to`; `exists` if it is taken, checked atomically (RENAME_NOREPLACE, or link and unlink where the
    // file system has no such flag).
    base::result<void> move(const std::filesystem::path& from, const std::filesystem::path& to);

    // `from` and `to` swap, so that the old file is never lost and `to` never missing.
    base::result<void> replace(const std::filesystem::path& from, const std::filesystem::path& to);

    void commit() { done_.clear(); }

private:
    struct step {
        std::filesystem::path from, to;
        bool swapped;
    };
    std::vector<step> done_;
};

// rename(2) that fails with EEXIST instead of replacing; for file systems without RENAME_NOREPLACE. 0 or errno.
int link_and_unlink(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace gdalmcp::workspace
