#include "base/file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>

namespace gdalmcp::base {
namespace {

struct descriptor {
    int fd;
    ~descriptor() {
        if (fd >= 0) ::close(fd);
    }
};

std::string because() { return std::string{": "} + std::strerror(errno); }

}  // namespace

result<std::string> read_file(const std::filesystem::path& p, std::size_t limit) {
    const descriptor file{::open(p.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
    if (file.fd < 0) return fail(errno == ENOENT ? code::not_found : code::io, "cannot read " + p.string() + because());
    struct stat s {};
    if (::fstat(file.fd, &s) != 0 || !S_ISREG(s.st_mode)) return fail(code::io, p.string() + " is not a regular file");
    if (static_cast<std::size_t>(s.st_size) > limit)
        return fail(code::io,
                    p.string() + " has " + std::to_string(s.st_size) + " bytes; the limit is " + std::to_string(limit));
    std::string bytes(static_cast<std::size_t>(s.st_size), '\0');
    std::size_t got = 0;
    while (got < bytes.size()) {
        const auto n = ::read(file.fd, bytes.data() + got, bytes.size() - got);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return fail(code::io, "cannot read " + p.string() + because());
        if (n == 0) break;
        got += static_cast<std::size_t>(n);
    }
    bytes.resize(got);
    return bytes;
}

result<void> write_file_atomically(const std::filesystem::path& p, std::string_view bytes) {
    static std::atomic<unsigned> counter{0};
    auto beside = p;
    beside += "." + std::to_string(::getpid()) + "-" + std::to_string(counter++) + ".tmp";
    {
        const descriptor file{::open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644)};
        if (file.fd < 0) return fail(code::io, "cannot write " + p.string() + because());
        while (!bytes.empty()) {
            const auto n = ::write(file.fd, bytes.data(), bytes.size());
            if (n < 0 && errno == EINTR) continue;
            if (n < 0) {
                const auto why = because();
                ::unlink(beside.c_str());
                return fail(code::io, "cannot write " + p.string() + why);
            }
            bytes.remove_prefix(static_cast<std::size_t>(n));
        }
        if (::fsync(file.fd) != 0) {
            const auto why = because();
            ::unlink(beside.c_str());
            return fail(code::io, "cannot write " + p.string() + why);
        }
    }
    if (::rename(beside.c_str(), p.c_str()) != 0) {
        const auto why = because();
        ::unlink(beside.c_str());
        return fail(code::io, "cannot write " + p.string() + why);
    }
    return {};
}

}  // namespace gdalmcp::base
