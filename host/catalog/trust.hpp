// Which bundles the operator trusts.
#pragma once
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/problem.hpp"
#include "catalog/minisign.hpp"

namespace gdalmcp::catalog {

// any: also a bare library without a manifest. hashed: a manifest with the digest of every file. signed_manifest: and a
// signature over the manifest by one of the operator's keys.
enum class trust_level { any, hashed, signed_manifest };
std::optional<trust_level> trust_level_of(std::string_view word);  // any, hashed, signed

struct named_key {
    std::string name;
    minisign::public_key key;
};

// Lines "NAME KEY", KEY as `minisign -G` prints it; blank lines and lines that begin with # are skipped. Errors name
// the line; a keys file that others may write is refused.
base::result<std::vector<named_key>> read_keys(const std::filesystem::path& file);

struct trust {
    trust_level level = trust_level::any;
    std::vector<named_key> keys;
    std::set<std::string, std::less<>> network;  // ids of bundles that may use the network
    std::filesystem::path installed;             // bundles installed with the program are trusted like it
};

// Checks `<folder>/manifest.json.minisig` over the bytes of the manifest: the name of the key that signed, "" if there
// is no signature or its key is unknown and none is required. Errors: a signature that does not match its key, or none
// by a known key where one is required.
base::result<std::string> signer(const trust& t, const std::filesystem::path& folder, std::string_view manifest);

}  // namespace gdalmcp::catalog
