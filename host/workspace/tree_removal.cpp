#include "workspace/tree_removal.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <string>

#include "base/descriptor.hpp"

namespace gdalmcp::workspace {
namespace {

namespace fs = std::filesystem;
using base::descriptor;

struct close_directory {
    void operator()(DIR* d) const { ::closedir(d); }
};
using directory = std::unique_ptr<DIR, close_directory>;

// A tool may create folders without permissions; they still belong to this user.
void make_accessible(int parent, const char* name) {
    const descriptor entry{::openat(parent, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)};
    struct stat s {};
    if (entry.get() < 0 || ::fstat(entry.get(), &s) != 0 || (s.st_mode & S_IRWXU) == S_IRWXU) return;
    ::chmod(("/proc/self/fd/" + std::to_string(entry.get())).c_str(), S_IRWXU);
}

directory open_folder(int parent, const char* name) {
    make_accessible(parent, name);
    const int fd = ::openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    auto* opened = fd < 0 ? nullptr : ::fdopendir(fd);
    if (fd >= 0 && !opened) ::close(fd);
    return directory{opened};
}

// Folders that are not empty move up into the top one, one level a step: so no path is ever longer than two names, and
// nothing is open but the top and one folder in it.
class removal {
public:
    removal(const fs::path& folder, const std::function<bool()>& go_on)
        : top_{open_folder(AT_FDCWD, folder.c_str())}, go_on_{go_on} {}

    bool is_open() const { return top_ != nullptr; }
    int error() const { return error_; }

    // False: stopped, or something cannot be removed.
    bool empty_top() {
        for (bool found = true; found;) {
            found = false;
            ::rewinddir(top_.get());
            while (const auto* entry = next(top_.get())) {
                if (!go_on_()) return false;
                found = true;
                if (!remove_entry(entry->d_name)) return false;
            }
        }
        return true;
    }

private:
    static const dirent* next(DIR* folder) {
        const dirent* entry = nullptr;
        do entry = ::readdir(folder);
        while (entry && (std::strcmp(entry->d_name, ".") == 0 || std::strcmp(entry->d_name, "..") == 0));
        return entry;
    }

    int top() const { return ::dirfd(top_.get()); }

    bool gone() {
        if (errno == ENOENT) return true;  // removed by another process
        error_ = errno;
        return false;
    }

    // A file, or a folder with nothing in it. ENOTEMPTY otherwise.
    static bool unlink(int folder, const char* name) {
        if (::unlinkat(folder, name, 0) == 0) return true;
        return errno == EISDIR && ::unlinkat(folder, name, AT_REMOVEDIR) == 0;
    }

    bool remove_entry(const char* name) {
        if (unlink(top(), name)) return true;
        if (errno != ENOTEMPTY && errno != EEXIST) return gone();
        const auto folder = open_folder(top(), name);
        if (!folder) return gone();
        while (const auto* entry = next(folder.get())) {
            if (!go_on_()) return false;
            if (unlink(::dirfd(folder.get()), entry->d_name)) continue;
            if (errno != ENOTEMPTY && errno != EEXIST) {
                if (!gone()) return false;
            } else if (!move_up(::dirfd(folder.get()), entry->d_name)) {
                return false;
            }
        }
        return ::unlinkat(top(), name, AT_REMOVEDIR) == 0 || errno == ENOTEMPTY || gone();  // then the next pass
    }

    bool move_up(int folder, const char* name) {
        make_accessible(folder, name);  // a folder that changes its parent is written to
        for (;;) {
            if (::renameat(folder, name, top(), std::to_string(moved_++).c_str()) == 0) return true;
            if (errno != ENOTEMPTY && errno != EEXIST && errno != ENOTDIR) return gone();
        }
    }

    directory top_;
    const std::function<bool()>& go_on_;
    std::uint64_t moved_ = 0;
    int error_ = 0;
};

}  // namespace

base::result<bool> remove_tree(const fs::path& folder, const std::function<bool()>& go_on) {
    const auto failed = [&](int error) {
        return base::fail(base::code::io, "cannot remove " + folder.string() + ": " + std::strerror(error));
    };
    removal r{folder, go_on};
    if (!r.is_open()) {
        if (errno == ENOENT) return true;
        return failed(errno);
    }
    if (!r.empty_top()) {
        if (r.error() != 0) return failed(r.error());
        return false;
    }
    if (::rmdir(folder.c_str()) == 0 || errno == ENOENT) return true;
    if (errno == ENOTEMPTY) return false;  // another process still writes there
    return failed(errno);
}

}  // namespace gdalmcp::workspace
