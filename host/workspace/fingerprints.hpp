// Digests of files, cached while the files are unchanged.
#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "base/bounded_cache.hpp"

namespace gdalmcp::workspace {

// The digest of a file's content.
struct fingerprint {
    std::string hex;         // SHA-256
    bool partial = false;    // not of the whole: base::partial_sha256_hex_of_descriptor
    std::uint64_t size = 0;  // bytes

    // The digest's name wherever it is written, so that the two kinds are not confused.
    const char* name() const { return partial ? "partial_sha256" : "sha256"; }
};

using digests = std::map<std::filesystem::path, fingerprint>;

// By device, inode, size, mtime and ctime. Thread-safe.
class fingerprints {
public:
    std::optional<fingerprint> find(const std::filesystem::path& file) const;
    void remember(std::string state, fingerprint f) {
        known_.keep(std::move(state), std::move(f));
    }  // state: base::file_identity as text

private:
    base::bounded_cache<std::string, fingerprint> known_{4096};
};

}  // namespace gdalmcp::workspace
