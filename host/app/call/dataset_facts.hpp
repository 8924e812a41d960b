// Statements of people and agents about datasets that the data does not contain, such as the kind of values. Kept in
// <store>/datasets/sha256:<hex>.json (of a large file partial_sha256:<hex>.json), by content, of a VRT with the files
// it reads, so that the question is asked once and the answer survives a move.
#pragma once
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>

#include "base/json.hpp"
#include "base/own_folder.hpp"
#include "workspace/fingerprints.hpp"

namespace gdalmcp::app {

namespace json = boost::json;

// Thread-safe.
class dataset_facts {
public:
    using digest_of = std::function<base::result<workspace::fingerprint>(const std::filesystem::path&)>;

    // `folder` of the store; it need not exist. An unreadable record is skipped with a warning in the log.
    explicit dataset_facts(base::own_folder folder) : folder_{std::move(folder)} {}

    // {kind: "elevation"} of this file; empty without a statement. Hashes the file only if some record has its size.
    json::object of(const std::filesystem::path& file, const digest_of& digest);

    base::result<void> keep(const std::filesystem::path& file, const std::string& fact, const std::string& value,
                            const digest_of& digest);

private:
    void read_folder();

    const base::own_folder folder_;
    std::mutex guard_;
    std::int64_t read_at_ = 0;                   // when the folder was last changed, ns; 0: never
    std::map<std::string, json::object> facts_;  // by name of the record
    std::set<std::uintmax_t> sizes_;
};

}  // namespace gdalmcp::app
