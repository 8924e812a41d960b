// How an output came to be: `<output>.provenance.json`, beside it.
#pragma once
#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

#include "base/json.hpp"
#include "workspace/results.hpp"

namespace gdalmcp::workspace {

// SHA-256 of files, remembered by (device, inode, size, mtime, ctime). Thread-safe.
class fingerprints {
public:
    // 64 hex digits. Errors: unreadable, or changed while it was read.
    base::result<std::string> sha256(const std::filesystem::path& file);

private:
    using identity = std::tuple<dev_t, ino_t, off_t, std::int64_t, std::int64_t>;  // times in ns
    std::mutex guard_;
    std::map<identity, std::string> known_;
};

// A dataset that was read: its file and the sidecars that were read with it.
struct source {
    std::string uri;  // as the caller gave it
    std::filesystem::path path;
    std::vector<std::filesystem::path> sidecars;
    std::string crs;  // "" = unknown
};

struct provenance {
    std::string tool;
    std::string bundle;      // "org.gdal-mcp.raster 0.1.0"
    json::object arguments;  // as the caller gave them
    std::vector<source> inputs;
    json::array decisions;  // receipts
    json::object versions;  // {"gdal-mcp": "0.1.0", "gdal": "3.6.2", …}
    std::string equivalent_command;
    json::array checks;     // what was verified after writing
    json::object times_ms;  // how long each step took
    time_point started;
    time_point finished;
};

// The record as JSON, inputs hashed. Errors: an input that cannot be hashed any more.
base::result<json::object> provenance_record(const provenance& p, fingerprints& known);

// Writes it to provenance_path(file). In a stage, it appears and vanishes with the output.
base::result<void> write_provenance(const std::filesystem::path& file, const json::object& record);

}  // namespace gdalmcp::workspace
