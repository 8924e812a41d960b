#include "base/own_folder.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include "base/descriptor.hpp"
#include "base/file.hpp"
#include "base/open_folder.hpp"

namespace gdalmcp::base {
namespace {

namespace fs = std::filesystem;

// Leaves errno as it is.
void close_quietly(int fd) {
    const int error = errno;
    if (fd >= 0) ::close(fd);
    errno = error;
}

tl::unexpected<problem> failed(const char* doing, const fs::path& what) {
    const int error = errno;
    auto p = problem{code::io, std::string{"cannot "} + doing + " " + what.string() + ": " + reason_not_opened(error),
                     "", ""};
    if (error == ELOOP)
        p.hint = "put a folder or file in the place of the link";
    else if (error == EROFS)
        p.hint = "give the workspace as FOLDER:ro, whose reasons are kept in the state folder, or another workspace";
    else if (error != ENOENT)
        p.hint = "make the folder writable, or name another workspace";
    return tl::unexpected{std::move(p)};
}

bool is_named(int folder, const std::string& name, int fd) {
    struct stat there {
    }, s{};
    return ::fstat(fd, &s) == 0 && ::fstatat(folder, name.c_str(), &there, AT_SYMLINK_NOFOLLOW) == 0 &&
           s.st_dev == there.st_dev && s.st_ino == there.st_ino;
}

}  // namespace

std::string reason_not_opened(int error) {
    return error == ELOOP ? "it is reached through a symbolic link; links are not followed" : std::strerror(error);
}

own_folder::own_folder(fs::path within, fs::path below) : within_{std::move(within)}, below_{std::move(below)} {}

int own_folder::enter(bool make) const {
    int at = ::open(within_.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (at < 0 && errno == ENOENT && make) {
        std::error_code ec;
        fs::create_directories(within_, ec);
        if (ec) errno = ec.value();
        at = ec ? -1 : ::open(within_.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
    }
    for (const auto& name : below_) {
        if (at < 0) break;
        const descriptor parent{at};
        at = open_folder_at(parent.get(), name.c_str());
        if (at >= 0 || errno != ENOENT || !make) continue;
        if (::mkdirat(parent.get(), name.c_str(), 0777) != 0 && errno != EEXIST) continue;
        at = open_folder_at(parent.get(), name.c_str());
    }
    return at;
}

int own_folder::open(const std::string& name, int flags, mode_t mode) const {
    const descriptor folder{enter(false)};
    return folder.get() < 0 ? -1 : ::openat(folder.get(), name.c_str(), flags | O_NOFOLLOW | O_CLOEXEC, mode);
}

bool own_folder::look(const std::string& name, struct stat& s) const {
    const descriptor folder{enter(false)};
    return folder.get() >= 0 && ::fstatat(folder.get(), name.c_str(), &s, AT_SYMLINK_NOFOLLOW) == 0;
}

bool own_folder::look(struct stat& s) const {
    const descriptor folder{enter(false)};
    return folder.get() >= 0 && ::fstat(folder.get(), &s) == 0;
}

std::vector<std::string> own_folder::names() const {
    std::vector<std::string> all;
    const int fd = open(".", O_RDONLY | O_DIRECTORY);
    const std::unique_ptr<DIR, int (*)(DIR*)> folder{fd < 0 ? nullptr : ::fdopendir(fd), &::closedir};
    if (!folder) {
        close_quietly(fd);
        return all;
    }
    while (const auto* entry = ::readdir(folder.get()))
        if (const std::string_view name{entry->d_name}; name != "." && name != "..") all.emplace_back(name);
    return all;
}

result<std::string> own_folder::read(const std::string& name, std::size_t limit) const {
    const auto shown = path() / name;
    const descriptor file{open(name, O_RDONLY | O_NONBLOCK)};
    if (file.get() >= 0) return read_open_file(file.get(), shown, limit);
    const bool absent = errno == ENOENT;
    auto p = failed("read", shown);
    if (absent) p.value().code = code::not_found;
    return p;
}

result<void> own_folder::make() const {
    const descriptor folder{enter(true)};
    if (folder.get() < 0) return failed("make", path());
    return {};
}

result<void> own_folder::write(const std::string& name, std::string_view bytes) const {
    const descriptor folder{enter(true)};
    if (folder.get() < 0) return failed("make", path());
    return write_file_atomically_at(folder.get(), name, path() / name, bytes);
}

result<locked_file> own_folder::lock(const std::string& name) const {
    const descriptor folder{enter(true)};
    if (folder.get() < 0) return failed("make", path());
    for (;;) {
        const int fd = ::openat(folder.get(), name.c_str(),
                                O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW, 0666);
        if (fd < 0) return failed("open", path() / name);
        auto locked = locked_file::lock(fd, path() / name);
        if (!locked || is_named(folder.get(), name, fd)) return locked;
        // The previous lock holder has moved the file aside.
    }
}

result<void> own_folder::take(const own_folder& from, const std::string& name, const std::string& new_name) const {
    const descriptor there{from.enter(false)}, here{enter(true)};
    if (here.get() < 0) return failed("make", path());
    if (there.get() < 0 || ::renameat(there.get(), name.c_str(), here.get(), new_name.c_str()) != 0)
        return failed("move", from.path() / name);
    return {};
}

result<void> own_folder::remove(const std::string& name) const {
    const descriptor folder{enter(false)};
    if (folder.get() < 0 || ::unlinkat(folder.get(), name.c_str(), 0) != 0) return failed("remove", path() / name);
    return {};
}

void own_folder::sweep() const {
    struct stat s {};
    for (const auto& name : names()) {
        if (!is_unfinished(name)) continue;
        const descriptor file{open(name, O_RDONLY | O_NONBLOCK)};
        if (file.get() < 0 || ::fstat(file.get(), &s) != 0 || !S_ISREG(s.st_mode) || s.st_uid != ::geteuid()) continue;
        if (::flock(file.get(), LOCK_EX | LOCK_NB) == 0) static_cast<void>(remove(name));
    }
}

}  // namespace gdalmcp::base
