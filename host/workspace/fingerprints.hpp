// Digests of files, remembered as long as the files stay as they are.
#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string>

namespace gdalmcp::workspace {

// What is known of a file's content.
struct fingerprint {
    std::string hex;         // SHA-256
    bool partial = false;    // not of the whole: base::partial_sha256_hex_of_descriptor
    std::uint64_t size = 0;  // bytes

    // What the digest is called wherever it is written, so that nobody takes one kind for the other.
    const char* name() const { return partial ? "partial_sha256" : "sha256"; }
};

using digests = std::map<std::filesystem::path, fingerprint>;

// By device, inode, size, mtime and ctime. Thread-safe.
class fingerprints {
public:
    std::optional<fingerprint> find(const std::filesystem::path& file) const;
    void remember(const std::string& state, fingerprint f);  // state: base::file_identity as text

private:
    mutable std::mutex guard_;
    std::map<std::string, fingerprint> known_;
};

}  // namespace gdalmcp::workspace
