#include "base/locked_file.hpp"

#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace gdalmcp::base {

result<locked_file> locked_file::lock(int fd, const std::filesystem::path& shown) {
    locked_file file{fd};
    int locked = 0;
    do locked = ::flock(file.fd_, LOCK_EX);
    while (locked != 0 && errno == EINTR);
    if (locked != 0) return fail(code::io, "cannot lock " + shown.string() + ": " + std::strerror(errno));
    return file;
}

locked_file::locked_file(locked_file&& other) noexcept : fd_{std::exchange(other.fd_, -1)} {}

locked_file::~locked_file() {
    if (fd_ >= 0) ::close(fd_);
}

}  // namespace gdalmcp::base
