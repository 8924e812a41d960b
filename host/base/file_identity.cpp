#include "base/file_identity.hpp"

namespace gdalmcp::base {

std::int64_t nanoseconds(const timespec& t) { return std::int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec; }

file_identity identity_of(const struct stat& s) {
    return {s.st_dev, s.st_ino, static_cast<std::uint64_t>(s.st_size), nanoseconds(s.st_mtim), nanoseconds(s.st_ctim)};
}

std::string to_string(const file_identity& f) {
    return std::to_string(f.device) + ":" + std::to_string(f.inode) + ":" + std::to_string(f.size) + ":" +
           std::to_string(f.modified) + ":" + std::to_string(f.changed);
}

}  // namespace gdalmcp::base
