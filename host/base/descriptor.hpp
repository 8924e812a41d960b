// A file descriptor that closes itself, and leaves errno as it was.
#pragma once
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace gdalmcp::base {

class descriptor {
public:
    descriptor() = default;
    explicit descriptor(int fd) : fd_{fd} {}
    descriptor(descriptor&& other) noexcept : fd_{std::exchange(other.fd_, -1)} {}
    descriptor& operator=(descriptor&& other) noexcept {
        reset(std::exchange(other.fd_, -1));
        return *this;
    }
    ~descriptor() { reset(); }
    int get() const { return fd_; }
    explicit operator bool() const { return fd_ >= 0; }
    int release() { return std::exchange(fd_, -1); }
    void reset(int fd = -1) {
        const int error = errno;
        if (fd_ >= 0) ::close(fd_);
        errno = error;
        fd_ = fd;
    }

private:
    int fd_ = -1;
};

}  // namespace gdalmcp::base
