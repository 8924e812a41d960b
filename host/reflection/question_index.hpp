// The records of a folder that answer a question, under any wording. A cache over <folder>/<domain>/*.json, kept in
// <folder>/index.json so that a start reads only new records. Not authoritative: the store reads and checks the named
// records, and the index can be rebuilt.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/own_folder.hpp"

namespace gdalmcp::reflection {

// The cache keys that files of this folder are named after; other names are left out. Empty when there is no folder.
std::vector<std::string> record_names(const base::own_folder& domain_folder);

// One thread at a time.
class question_index {
public:
    // The question a record answers; nullopt if it is not valid.
    using reader = std::function<std::string(const std::string& cache_key)>;

    question_index(base::own_folder folder, bool writable) : folder_{std::move(folder)}, writable_{writable} {}
    question_index(const question_index&) = delete;
    question_index& operator=(const question_index&) = delete;
    ~question_index();  // saves the index

    // Rescans the folder first if it has changed; reads only new records.
    std::vector<std::string> cache_keys(const std::string& domain, std::string_view question_hash, const reader& read);

private:
    struct known_record {
        std::string question;
        unsigned seen = 0;  // at which scan
    };
    // Changes whenever a file is added, removed or replaced, and cannot be set back.
    struct folder_state {
        std::uint64_t inode = 0;
        std::int64_t changed = -1;  // ns; -1: must be rescanned
        auto operator<=>(const folder_state&) const = default;
    };
    struct domain_records {
        std::unordered_map<std::string, known_record> records;                  // by cache key
        std::unordered_multimap<std::string_view, std::string_view> questions;  // into `records`: question -> cache key
        folder_state as_of;
        unsigned looks = 0;
    };

    void look(const std::string& domain, domain_records& known, const reader& read);
    void load();
    void save();

    base::own_folder folder_;
    bool writable_;
    bool loaded_ = false;
    std::size_t unsaved_ = 0;  // changes
    std::map<std::string, domain_records> domains_;
};

}  // namespace gdalmcp::reflection
