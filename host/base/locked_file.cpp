#include "base/locked_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace gdalmcp::base {

result<locked_file> locked_file::open(const std::filesystem::path& p) {
    locked_file file{::open(p.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW, 0666)};
    if (file.fd_ < 0) return fail(code::io, "cannot open " + p.string() + ": " + std::strerror(errno));
    int locked = 0;
    do locked = ::flock(file.fd_, LOCK_EX);
    while (locked != 0 && errno == EINTR);
    if (locked != 0) return fail(code::io, "cannot lock " + p.string() + ": " + std::strerror(errno));
    return file;
}

locked_file::locked_file(locked_file&& other) noexcept : fd_{std::exchange(other.fd_, -1)} {}

locked_file::~locked_file() {
    if (fd_ >= 0) ::close(fd_);
}

}  // namespace gdalmcp::base
