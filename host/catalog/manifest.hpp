// manifest.json: read, checked against its own schema and against the files it lists.
#pragma once
#include <filesystem>
#include <memory>
#include <vector>

#include "catalog/tool.hpp"

namespace gdalmcp::catalog {

struct manifest {
    std::shared_ptr<const catalog::bundle> bundle;
    std::vector<std::shared_ptr<const tool>> tools;
};

// Why a bundle is not used. `id` is empty where the manifest did not get that far.
struct rejection {
    std::string id;
    std::string reason;
};

// Reads `<spelled>/manifest.json` and everything it lists but the library, whose bytes are compared with the manifest
// when it is loaded, not here. Refused: fields of the wrong type, another ABI major, a network wish, files that are
// missing, outside the folder, changed, or writable by group or others, tools that the lint refuses.
tl::expected<manifest, rejection> read_manifest(const std::filesystem::path& spelled);

}  // namespace gdalmcp::catalog
