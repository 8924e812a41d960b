// A bundle's manifest.json, made from what the bundle folder holds.
#pragma once
#include <filesystem>

#include "base/json.hpp"

namespace gdalmcp::worker {

// Describes <bundle>/lib/*.so (one or none), prompts/*.md and reflection/*.yaml, with the SHA-256 of each file. Loads
// the library. Errors: more than one library, a plugin that cannot be loaded, a schema that clients would reject.
base::result<base::json::object> describe_bundle(const std::filesystem::path& bundle);

}  // namespace gdalmcp::worker
