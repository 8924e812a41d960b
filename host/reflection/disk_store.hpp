// Reasons as files: justifications/<domain>/sha256:<hex>.json, and index.json beside the domains. A record that was
// replaced lies in <domain>/earlier, one that was revoked in <domain>/revoked, each as sha256:<its digest>.json.
#pragma once
#include <filesystem>
#include <memory>

#include "reflection/store.hpp"

namespace gdalmcp::reflection {

// `root` is e.g. <workspace>/.preflight; folders are made by the first put. Several processes may share one root.
std::unique_ptr<store> open_disk_store(const std::filesystem::path& root);

// A team's records in DIR/justifications/<domain>/ or DIR/<domain>/, read-only; their found_in is DIR.
base::result<std::unique_ptr<store>> open_library(const std::filesystem::path& folder);

}  // namespace gdalmcp::reflection
