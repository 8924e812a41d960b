// manifest.json: read, checked against its own schema and against the files it lists.
#pragma once
#include <filesystem>
#include <memory>
#include <set>
#include <vector>

#include "catalog/resource.hpp"
#include "catalog/tool.hpp"
#include "catalog/trust.hpp"

namespace gdalmcp::catalog {

struct manifest {
    std::shared_ptr<const catalog::bundle> bundle;
    std::vector<std::shared_ptr<const tool>> tools;
    std::vector<std::shared_ptr<const resource>> resources;
};

// Why a bundle is not used. `id` is empty if the manifest could not be read that far.
struct rejection {
    std::string id;
    std::string reason;
    std::vector<std::string> tools = {};  // names its manifest lists, as far as it could be read
};
rejection rejection_of(std::string id, const base::problem& p);  // message and next step in one line

// Rules for admitting a bundle.
struct admission {
    catalog::trust trust;
    std::string libgdal;  // soname the host's worker links, "libgdal.so.32"; "" = not looked at
    // The toolsets a session may have, on from the start; "all": every one. Empty: no limit, and default ones are on.
    std::vector<std::string> toolsets;
    // Libraries refused earlier: their bytes are compared here, too.
    std::set<std::filesystem::path> doubted = {};
};

// Reads `<spelled>/manifest.json` and everything it lists but the library, whose bytes are compared with the manifest
// when it is loaded, and here only when they were found to differ before. Refused: fields of the wrong type, another
// ABI major, text with hidden characters, a library built for another libgdal, a network request that is not granted,
// files that are missing, outside the folder, changed, or writable by anybody but root and the user running the host,
// tools the lint refuses, resources resource::read refuses, an invalid icon, a missing or wrong signature.
tl::expected<manifest, rejection> read_manifest(const std::filesystem::path& spelled, const admission& a = {});

// The same for the author of a manifest: by the rules of every host. Owners, grants and signatures are not checked.
base::result<manifest> read_draft(const std::filesystem::path& folder, const json::value& text);

// Whether a bare library may be run to describe it: the operator trusts such libraries, and no other user can have
// changed it.
base::result<void> may_be_described(const std::filesystem::path& library, const trust& t);

// The same for a bare library with a generated manifest: `text` lists it by its file name.
tl::expected<manifest, rejection> read_description(const std::filesystem::path& library, const json::value& text,
                                                   const admission& a = {});

}  // namespace gdalmcp::catalog
