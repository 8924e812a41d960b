// Which records of a folder answer a question, under whatever wording. A cache over <folder>/<domain>/*.json, kept in
// <folder>/index.json so that a start reads no record it knows. Never authority: what it names is read and checked by
// the store, and without it everything is found again.
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
    // The question a record answers; nothing when it cannot be believed.
    using reader = std::function<std::string(const std::string& cache_key)>;

    question_index(base::own_folder folder, bool writable) : folder_{std::move(folder)}, writable_{writable} {}
    question_index(const question_index&) = delete;
    question_index& operator=(const question_index&) = delete;
    ~question_index();  // saves what it learned

    // Looks at the folder first if it has changed; reads only records it has not seen.
    std::vector<std::string> cache_keys(const std::string& domain, std::string_view question_hash, const reader& read);

private:
    struct known_record {
        std::string question;
        unsigned seen = 0;  // at which look
    };
    // Any file that comes, goes or is replaced changes this, and nobody can set it back.
    struct folder_state {
        std::uint64_t inode = 0;
        std::int64_t changed = -1;  // ns; -1: to be looked at again
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
