// Identity of a file and of its version.
#pragma once
#include <sys/stat.h>

#include <compare>
#include <cstdint>
#include <string>

namespace gdalmcp::base {

std::int64_t nanoseconds(const timespec& t);

// Any change of a file changes at least one of these. Times in nanoseconds since 1970.
struct file_identity {
    std::uint64_t device = 0, inode = 0, size = 0;
    std::int64_t modified = 0, changed = 0;
    auto operator<=>(const file_identity&) const = default;
};

file_identity identity_of(const struct stat& s);

std::string to_string(const file_identity& f);  // "device:inode:size:modified:changed"

}  // namespace gdalmcp::base
