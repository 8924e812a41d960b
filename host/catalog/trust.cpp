#include "catalog/trust.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <sstream>

#include "base/file.hpp"

namespace gdalmcp::catalog {

using base::fail;
using base::result;
namespace code = base::code;
namespace fs = std::filesystem;

std::optional<trust_level> trust_level_of(std::string_view word) {
    if (word == "any") return trust_level::any;
    if (word == "hashed") return trust_level::hashed;
    if (word == "signed") return trust_level::signed_manifest;
    return std::nullopt;
}

result<std::vector<named_key>> read_keys(const fs::path& file) {
    auto text = base::read_file(file, 1u << 20);
    if (!text) return tl::unexpected{text.error()};
    struct stat s {};
    if (::stat(file.c_str(), &s) != 0 || (s.st_mode & (S_IWGRP | S_IWOTH)) != 0)
        return fail(code::denied, "the keys file " + file.string() + " can be written by others", "chmod go-w it");
    std::vector<named_key> keys;
    std::istringstream lines{*text};
    std::string line;
    for (int number = 1; std::getline(lines, line); ++number) {
        std::istringstream words{line};
        std::string name, key, more;
        words >> name >> key >> more;
        if (name.empty() || name.front() == '#') continue;
        auto parsed = minisign::public_key::parse(key);
        if (!parsed || !more.empty())
            return fail(code::invalid_argument,
                        file.string() + " line " + std::to_string(number) + ": " +
                            (parsed ? "there is more than a name and a key" : parsed.error().message),
                        "write a name, a blank and the key that minisign -G printed");
        keys.push_back({std::move(name), std::move(*parsed)});
    }
    return keys;
}

result<std::string> signer(const trust& t, const fs::path& folder, std::string_view manifest) {
    const bool wanted = t.level == trust_level::signed_manifest && folder.parent_path() != t.installed;
    const auto file = folder / "manifest.json.minisig";
    std::error_code ec;
    if (!fs::exists(file, ec)) {
        if (!wanted) return std::string{};
        return fail(code::quarantined, "manifest.json is not signed, and only signed bundles are trusted",
                    "sign it with 'gdal-mcp bundle sign', or trust by hash with --trust hashed");
    }
    auto signature = base::read_file(file, 1u << 16);
    if (!signature) return tl::unexpected{signature.error()};
    const auto id = minisign::signer_id(*signature);
    if (!id) return fail(code::quarantined, "manifest.json.minisig: " + id.error().message);
    const auto known = std::find_if(t.keys.begin(), t.keys.end(), [&](const named_key& k) { return k.key.id == *id; });
    if (known == t.keys.end()) {
        if (!wanted) return std::string{};
        return fail(code::quarantined,
                    "manifest.json is signed by key " + minisign::shown(*id) + ", not by one of the " +
                        std::to_string(t.keys.size()) + " trusted keys",
                    "add the key to the file of --trust-keys if you trust its owner");
    }
    if (const auto ok = minisign::verify(manifest, *signature, known->key); !ok)
        return fail(code::quarantined, "the signature by '" + known->name + "': " + ok.error().message,
                    "install the bundle again; it was changed after it was signed");
    return known->name;
}

}  // namespace gdalmcp::catalog
