// The digests of files, made where a deadline and a cancellation hold.
#pragma once
#include <filesystem>
#include <vector>

#include "base/json.hpp"

namespace gdalmcp::worker {

// {"files": [{"state", "settled", "size", "sha256" or "partial_sha256"}, …]}, in the order of `files`. `partly`: a file
// of more than two partial blocks has a partial digest (base/digest.hpp). `state`: base::file_state. `settled`: a later
// change will show in it. Errors: io for what is no regular file, cannot be read, or changes meanwhile.
base::result<base::json::object> hash_files(const std::vector<std::filesystem::path>& files, bool partly);

}  // namespace gdalmcp::worker
