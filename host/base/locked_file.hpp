// A file with one writer at a time, across threads and processes.
#pragma once
#include <filesystem>

#include "base/problem.hpp"

namespace gdalmcp::base {

// Locked (flock) from lock() until destruction. Every descriptor is a separate lock.
class locked_file {
public:
    // Takes over a descriptor and waits for the lock. `shown` names the file in errors.
    static result<locked_file> lock(int fd, const std::filesystem::path& shown);

    locked_file(locked_file&& other) noexcept;
    locked_file& operator=(locked_file&&) = delete;
    ~locked_file();

    int fd() const { return fd_; }

private:
    explicit locked_file(int fd) : fd_{fd} {}
    int fd_;
};

}  // namespace gdalmcp::base
