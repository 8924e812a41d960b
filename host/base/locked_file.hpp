// A file that one holder at a time may write: among the threads of a process as among processes.
#pragma once
#include <filesystem>

#include "base/problem.hpp"

namespace gdalmcp::base {

// Locked (flock) from lock() until it goes. Every descriptor is a lock of its own.
class locked_file {
public:
    // Takes over a descriptor and waits for whoever has the lock. `shown` is what errors call the file.
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
