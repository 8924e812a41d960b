// Reads and atomically writes small files as a whole.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>

#include "base/problem.hpp"

namespace gdalmcp::base {

// The whole file; refused when it is larger than `limit` bytes or not a regular file.
result<std::string> read_file(const std::filesystem::path& p, std::size_t limit = 16u << 20);

// The same of a descriptor at its beginning; `shown` names the file in errors.
result<std::string> read_open_file(int fd, const std::filesystem::path& shown, std::size_t limit);

// Writes beside the target, fsyncs, renames over it: a reader sees the old bytes or the new ones, never a part.
// Mode 0644 less the umask. Parent folders must exist.
result<void> write_file_atomically(const std::filesystem::path& p, std::string_view bytes);

// The same of a path relative to the descriptor of a folder.
result<void> write_file_atomically_at(int folder, const std::filesystem::path& p, const std::filesystem::path& shown,
                                      std::string_view bytes);

// "<name>.<pid>-<number>.tmp": a file being written by a process that holds a lock on it, or left by one that died.
bool is_unfinished(std::string_view name);

}  // namespace gdalmcp::base
