#include "base/file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>

#include "base/descriptor.hpp"

namespace gdalmcp::base {
namespace {

std::string because() { return std::string{": "} + std::strerror(errno); }

}  // namespace

result<std::string> read_file(const std::filesystem::path& p, std::size_t limit) {
    const descriptor file{::open(p.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
    if (file.get() < 0)
        return fail(errno == ENOENT ? code::not_found : code::io, "cannot read " + p.string() + because());
    return read_open_file(file.get(), p, limit);
}

result<std::string> read_open_file(int fd, const std::filesystem::path& shown, std::size_t limit) {
    struct stat s {};
    if (::fstat(fd, &s) != 0 || !S_ISREG(s.st_mode)) return fail(code::io, shown.string() + " is not a regular file");
    if (static_cast<std::size_t>(s.st_size) > limit)
        return fail(code::io, shown.string() + " has " + std::to_string(s.st_size) + " bytes; the limit is " +
                                  std::to_string(limit));
    std::string bytes(static_cast<std::size_t>(s.st_size), '\0');
    std::size_t got = 0;
    while (got < bytes.size()) {
        const auto n = ::read(fd, bytes.data() + got, bytes.size() - got);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return fail(code::io, "cannot read " + shown.string() + because());
        if (n == 0) break;
        got += static_cast<std::size_t>(n);
    }
    bytes.resize(got);
    return bytes;
}

namespace {

constexpr std::string_view unfinished = ".tmp";

// A new locked file beside `p`; the lock marks a live writer. Its name holds a process id, which a process of another
// container, or an earlier one, may have used as well.
struct unfinished_file {
    std::filesystem::path path;  // as that of the file it becomes
    descriptor file;
};

unfinished_file make_beside(int folder, const std::filesystem::path& p) {
    static std::atomic<unsigned> counter{0};
    for (;;) {
        auto beside = p;
        beside += "." + std::to_string(::getpid()) + "-" + std::to_string(counter++) + std::string{unfinished};
        const int fd = ::openat(folder, beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
        if (fd < 0 && errno == EEXIST) continue;
        struct stat s {};
        if (fd < 0 || ::flock(fd, LOCK_EX | LOCK_NB) != 0 || ::fstat(fd, &s) != 0 || s.st_nlink > 0)
            return {std::move(beside), descriptor{fd}};
        ::close(fd);  // swept between the two
    }
}

bool write_all(int fd, std::string_view bytes) {
    while (!bytes.empty()) {
        const auto n = ::write(fd, bytes.data(), bytes.size());
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(n));
    }
    return true;
}

}  // namespace

result<void> write_file_atomically(const std::filesystem::path& p, std::string_view bytes) {
    return write_file_atomically_at(AT_FDCWD, p, p, bytes);
}

result<void> write_file_atomically_at(int folder, const std::filesystem::path& p, const std::filesystem::path& shown,
                                      std::string_view bytes) {
    const auto beside = make_beside(folder, p);
    const int fd = beside.file.get();
    const auto failed = [&](int error) {
        const bool full = error == ENOSPC || error == EDQUOT;
        return fail(full ? code::exhausted : code::io, "cannot write " + shown.string() + ": " + std::strerror(error),
                    full ? "free space there, and repeat the call" : "");
    };
    if (fd < 0) return failed(errno);
    if (write_all(fd, bytes) && ::fsync(fd) == 0 && ::renameat(folder, beside.path.c_str(), folder, p.c_str()) == 0)
        return {};
    const int error = errno;
    ::unlinkat(folder, beside.path.c_str(), 0);
    return failed(error);
}

bool is_unfinished(std::string_view name) {
    if (!name.ends_with(unfinished)) return false;
    name.remove_suffix(unfinished.size());
    const auto dot = name.rfind('.');
    const auto number = dot == std::string_view::npos ? std::string_view{} : name.substr(dot + 1);
    return dot > 0 && !number.empty() && number.find('-') != std::string_view::npos &&
           number.find_first_not_of("0123456789-") == std::string_view::npos;
}

}  // namespace gdalmcp::base
