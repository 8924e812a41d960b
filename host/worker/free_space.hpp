// Whether the disk of a folder is full, so that a failed write is blamed on it only then.
#pragma once
#include <filesystem>

namespace gdalmcp::worker {

inline bool disk_is_full(const std::filesystem::path& folder) {
    constexpr std::uintmax_t next_to_nothing = std::uintmax_t{1} << 20;  // bytes
    std::error_code ec;
    const auto room = std::filesystem::space(folder, ec);
    return !ec && room.available < next_to_nothing;
}

inline constexpr const char* full_disk_hint = "the disk of the output is full: free some space and call again";

}  // namespace gdalmcp::worker
