// Whole small files, read and atomically written.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>

#include "base/problem.hpp"

namespace gdalmcp::base {

// The whole file; refused when it is larger than `limit` bytes or not a regular file.
result<std::string> read_file(const std::filesystem::path& p, std::size_t limit = 16u << 20);

// Writes beside the target, fsyncs, renames over it: a reader sees the old bytes or the new ones, never a part.
// Mode 0644 less the umask. Parent folders must exist.
result<void> write_file_atomically(const std::filesystem::path& p, std::string_view bytes);

}  // namespace gdalmcp::base
