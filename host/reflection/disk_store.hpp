// Reasons as files: <root>/justifications/<domain>/sha256:<hex>.json, and index.json beside the domains.
#pragma once
#include <filesystem>
#include <memory>

#include "reflection/store.hpp"

namespace gdalmcp::reflection {

// `root` is e.g. <workspace>/.preflight; folders are made by the first put. Several processes may share one root: every
// record is one atomically written file, and index.json is a cache that anybody rebuilds from the records.
std::unique_ptr<store> open_disk_store(std::filesystem::path root);

}  // namespace gdalmcp::reflection
