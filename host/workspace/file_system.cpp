#include "workspace/file_system.hpp"

#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>

#include <cerrno>
#include <cstring>

namespace gdalmcp::workspace {
namespace {

namespace fs = std::filesystem;
constexpr std::uint64_t nearly_nothing = 64u << 10;

base::problem full(const fs::path& where, const std::string& doing) {
    return {base::code::exhausted, "the file system at " + mount_point(where).string() + " is full" + doing,
            "free some space there, or write to another file system", ""};
}

}  // namespace

std::uint64_t free_bytes(const fs::path& folder) {
    struct statvfs v {};
    return ::statvfs(folder.c_str(), &v) == 0 ? static_cast<std::uint64_t>(v.f_bavail) * v.f_frsize : 0;
}

bool is_tmpfs(const fs::path& folder) {
    struct statfs s {};
    return ::statfs(folder.c_str(), &s) == 0 && s.f_type == TMPFS_MAGIC;
}

fs::path mount_point(const fs::path& existing) {
    fs::path here = existing;
    struct stat s {
    }, above{};
    if (::stat(here.c_str(), &s) != 0) return here;
    while (here.has_parent_path() && here != here.parent_path() && ::stat(here.parent_path().c_str(), &above) == 0 &&
           above.st_dev == s.st_dev)
        here = here.parent_path();
    return here;
}

base::problem file_system_problem(int error, const std::string& doing, const fs::path& where) {
    if (error == ENOSPC || error == EDQUOT) return full(where, " (while " + doing + ")");
    const bool rights = error == EACCES || error == EPERM || error == EROFS;
    return {rights ? base::code::denied : base::code::io, doing + " failed: " + std::strerror(error),
            rights ? "check the permissions of that folder" : "", ""};
}

std::optional<base::problem> no_space_left(const fs::path& folder) {
    struct statvfs v {};
    if (::statvfs(folder.c_str(), &v) != 0) return std::nullopt;
    if (free_bytes(folder) < nearly_nothing) return full(folder, "");
    if (v.f_files != 0 && v.f_favail == 0) return full(folder, ": no inodes are left");
    return std::nullopt;
}

}  // namespace gdalmcp::workspace
