// A file that one holder at a time may write: among the threads of a process as among processes.
#pragma once
#include <filesystem>

#include "base/problem.hpp"

namespace gdalmcp::base {

// Locked (flock) from open() until it goes. Every open() is a lock of its own.
class locked_file {
public:
    // Made when absent, mode 0666 less the umask; waits for whoever has it. Writing appends, wherever reading is.
    static result<locked_file> open(const std::filesystem::path& p);

    locked_file(locked_file&& other) noexcept;
    locked_file& operator=(locked_file&&) = delete;
    ~locked_file();

    int fd() const { return fd_; }

private:
    explicit locked_file(int fd) : fd_{fd} {}
    int fd_;
};

}  // namespace gdalmcp::base
