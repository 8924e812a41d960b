// The file system under a path: its free space, and its errors as problems.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "base/problem.hpp"

namespace gdalmcp::workspace {

std::uint64_t free_bytes(const std::filesystem::path& folder);  // for this user; 0 if unknown
bool is_tmpfs(const std::filesystem::path& folder);
std::filesystem::path mount_point(const std::filesystem::path& existing);

// errno `error`, met while `doing` ("moving /a to /b"): `exhausted` naming the file system when it is full, `denied`
// for missing rights, else `io`.
base::problem file_system_problem(int error, const std::string& doing, const std::filesystem::path& where);

// `exhausted`, naming the file system, when fewer than 64 KiB are free at `folder`: called after a failed write, whose
// own message rarely gives this cause.
std::optional<base::problem> no_space_left(const std::filesystem::path& folder);

}  // namespace gdalmcp::workspace
