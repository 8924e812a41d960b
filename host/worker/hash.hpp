// The digests of files, computed under a deadline and cancellation.
#pragma once
#include <filesystem>
#include <vector>

#include "runner/messages.hpp"

namespace gdalmcp::worker {

// In the order of `files`. `partly`: a file of more than two partial blocks has a partial digest (base/digest.hpp).
// Errors: io for a file that is not regular, cannot be read, or changes meanwhile.
base::result<std::vector<runner::hashed_file>> hash_files(const std::vector<std::filesystem::path>& files, bool partly);

}  // namespace gdalmcp::worker
