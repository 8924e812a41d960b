#include "base/open_folder.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace gdalmcp::base {

// openat2(2) with RESOLVE_NO_SYMLINKS follows a whole path in one step, but not on every kernel and in every container.
int open_folder_at(int parent, const char* name) {
    const int fd = ::openat(parent, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    struct stat s {};
    // A link counts as "not a directory" here; the caller checks which it is.
    if (fd < 0 && errno == ENOTDIR)
        errno = ::fstatat(parent, name, &s, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(s.st_mode) ? ELOOP : ENOTDIR;
    return fd;
}

int open_folder(const std::filesystem::path& absolute) {
    int at = open_folder_at(AT_FDCWD, "/");
    for (const auto& name : absolute.relative_path()) {
        if (at < 0) break;
        const int parent = at;
        at = open_folder_at(parent, name.c_str());
        const int error = errno;
        ::close(parent);
        errno = error;
    }
    return at;
}

}  // namespace gdalmcp::base
