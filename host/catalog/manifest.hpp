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

// Why a bundle is not used. `id` is empty where the manifest did not get that far.
struct rejection {
    std::string id;
    std::string reason;
    std::vector<std::string> tools = {};  // names its manifest lists, as far as it could be read
};
rejection rejection_of(std::string id, const base::problem& p);  // message and next step in one line

// What the reader holds a bundle against.
struct admission {
    catalog::trust trust;
    std::string libgdal;  // soname the host's worker links, "libgdal.so.32"; "" = not looked at
    // All that a session may have, on from the start; "all": every one. Empty: no limit, and those on by default are
    // on.
    std::vector<std::string> toolsets;
    // Libraries that were refused once: their bytes are compared here, too.
    std::set<std::filesystem::path> doubted = {};
};

// Reads `<spelled>/manifest.json` and everything it lists but the library, whose bytes are compared with the manifest
// when it is loaded, and here only when they were found to differ before. Refused: fields of the wrong type, another
// ABI major, text with hidden characters, a library built for another libgdal, a network wish nobody granted, files
// that are missing, outside the folder, changed, or writable by anybody but root and the user we run as, tools that the
// lint refuses, resources that resource::read refuses, an icon that is none, a signature that is missing or does not
// fit.
tl::expected<manifest, rejection> read_manifest(const std::filesystem::path& spelled, const admission& a = {});

// The same for whoever writes the manifest of a folder: by the rules that hold on every host. Who owns the files, what
// an operator must grant and who has signed are not looked at.
base::result<manifest> read_draft(const std::filesystem::path& folder, const json::value& text);

// Whether a bare library may be run to be described: the operator trusts such, and nobody else can have changed it.
base::result<void> may_be_described(const std::filesystem::path& library, const trust& t);

// The same for a bare library, which others made a manifest of: `text` lists it by its file name.
tl::expected<manifest, rejection> read_description(const std::filesystem::path& library, const json::value& text,
                                                   const admission& a = {});

}  // namespace gdalmcp::catalog
