// The digests of files, made where a deadline and a cancellation hold.
#pragma once
#include <filesystem>
#include <vector>

#include "runner/messages.hpp"

namespace gdalmcp::worker {

// In the order of `files`. `partly`: a file of more than two partial blocks has a partial digest (base/digest.hpp).
// Errors: io for what is no regular file, cannot be read, or changes meanwhile.
base::result<std::vector<runner::hashed_file>> hash_files(const std::vector<std::filesystem::path>& files, bool partly);

}  // namespace gdalmcp::worker
