// What people and agents stated about datasets where the data cannot tell: what kind of values these are. Kept in
// <store>/datasets/sha256:<hex>.json, by the content of the file, so that it is asked once and survives a move.
#pragma once
#include <filesystem>
#include <map>
#include <mutex>
#include <set>
#include <string>

#include "base/json.hpp"
#include "workspace/provenance.hpp"

namespace gdalmcp::app {

namespace json = boost::json;

// Thread-safe.
class dataset_facts {
public:
    // `folder` of the store; it need not exist. A record nobody can read is passed over with a warning in the log.
    dataset_facts(std::filesystem::path folder, workspace::fingerprints& known);

    // {kind: "elevation"} of this file; empty when nothing was stated. The file is hashed only if some record is about
    // a file of its size.
    json::object of(const std::filesystem::path& file);

    base::result<void> keep(const std::filesystem::path& file, const std::string& fact, const std::string& value);

private:
    void read_folder();

    const std::filesystem::path folder_;
    workspace::fingerprints& fingerprints_;
    std::mutex guard_;
    std::filesystem::file_time_type read_at_{};
    std::map<std::string, json::object> facts_;  // by SHA-256
    std::set<std::uintmax_t> sizes_;
};

}  // namespace gdalmcp::app
