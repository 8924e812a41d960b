// Makes a bundle's manifest.json from the contents of its folder.
#pragma once
#include <filesystem>
#include <optional>
#include <string>

#include "base/json.hpp"

namespace gdalmcp::worker {

class plugin;

struct bundle_identity {
    std::string id, version, license;
};

// Settings that the files of a bundle do not contain.
struct bundle_options {
    std::optional<bundle_identity> identity;  // of a bundle without a library; a library has its own
    std::string toolset;                      // the group its tools are offered in; empty: none
    std::string purpose;                      // of the toolset, one line; empty: none
    bool on_by_default = true;                // the toolset is offered unless an operator excludes it
    bool network = false;                     // the tools need the network, which an operator must grant
};

// The library's own part of the manifest: {schema_version, id, version, license, abi, tools}. Errors: a schema that
// clients would reject.
base::result<base::json::object> describe_library(const plugin& library);

// Copies a carried library to <bundle>/lib/<its SONAME>, the name the bundle's own library is linked to. Errors: not a
// shared object, a SONAME that is missing or not a file name with ".so." in it.
base::result<void> carry(const std::filesystem::path& bundle, const std::filesystem::path& library);

// Describes <bundle>/lib/*.so (one or none), prompts/*, reflection/*.yaml, methodology/*.md, what
// resources/resources.yaml lists and icon.svg or icon.png, with the SHA-256 of each file. Loads the library. Errors:
// more than one library, an identity given twice or not at all, a toolset of another form than [a-z][a-z0-9-]{0,63}, a
// purpose longer than 120 bytes or a line, nothing to describe, a plugin that cannot be loaded, a schema that clients
// would reject.
base::result<base::json::object> describe_bundle(const std::filesystem::path& bundle, const bundle_options& options);

}  // namespace gdalmcp::worker
