// The store of reasons. An interface, so that other storage than a folder is possible: a database, a memory server, a
// test. Requirements on an implementation:
//   * Suspicion. A record is returned only after read_record() accepted it, on every read; an invalid one is a warning,
//     never a failure and never a pass.
//   * A record under its key is whole at every moment: the old one or the new one. What a new one replaces is kept.
//   * It is safe from any thread, and other processes may use the same place at the same time.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/problem.hpp"
#include "reflection/record.hpp"

namespace gdalmcp::reflection {

struct found_record : record {
    std::string found_in;   // the team library that holds it; empty: the writable store
    std::string revoked{};  // when it was, RFC 3339; empty: it was not
};

struct revocation {
    std::string ref;        // justification://{domain}/{cache_key}
    std::string timestamp;  // RFC 3339, UTC, milliseconds
};

struct findings {
    std::vector<std::shared_ptr<const found_record>> records;
    std::vector<std::string> warnings;  // records found but not valid
};

class store {
public:
    virtual ~store() = default;

    // By cache key: at most one.
    virtual findings find(std::string_view domain, std::string_view cache_key) = 0;
    // The same question under any wording, newest first.
    virtual findings find_question(std::string_view domain, std::string_view question_hash) = 0;

    virtual std::vector<std::string> domains() = 0;      // that may have records, sorted
    virtual findings list(std::string_view domain) = 0;  // all of them, newest first; reads every record

    // Records under this key that others replaced, or that were revoked, newest first.
    virtual findings replaced(std::string_view, std::string_view) { return {}; }

    // Stores a record. An existing one under this key is moved aside, where only `replaced` finds it.
    virtual base::result<void> put(const record& r) = 0;
    // Withdraws the record under this key, valid or not: `revoke` moves it aside, `erase` deletes it. Errors:
    // not_found; denied for a read-only store.
    virtual base::result<void> revoke(std::string_view domain, std::string_view cache_key) = 0;
    virtual base::result<void> erase(std::string_view domain, std::string_view cache_key) = 0;
    // The latest revocation of a record under this key, of any domain; nothing if none was revoked, or one is stored
    // again.
    virtual std::optional<revocation> revoked(std::string_view) { return std::nullopt; }
};

// Newest first, of one moment by cache key: the order of `find_question` and `list`.
void sort_newest_first(std::vector<std::shared_ptr<const found_record>>& records);

}  // namespace gdalmcp::reflection
