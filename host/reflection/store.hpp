// Where reasons are kept. An interface, so that something else than a folder can keep them: a database, a memory
// server, a test. What an implementation owes:
//   * Suspicion. A record is handed out only after read_record() believed it, whenever it was read; what is there and
//     cannot be believed is a warning, never a failure and never a pass.
//   * A record under its key is whole at every moment: the old one or the new one. What a new one replaces is kept.
//   * It is safe from any thread, and other processes may use the same place at the same time.
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/problem.hpp"
#include "reflection/record.hpp"

namespace gdalmcp::reflection {

struct found_record : record {
    std::string found_in;  // the team library that holds it; empty: the store that is written to
};

struct findings {
    std::vector<std::shared_ptr<const found_record>> records;
    std::vector<std::string> warnings;  // what was there and could not be believed
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

    // Takes a record in. One that is already there under this key is kept aside, where nobody looks for reasons.
    virtual base::result<void> put(const record& r) = 0;
    // Withdraws what is there under this key, believed or not: `revoke` keeps it aside, `erase` keeps nothing.
    // Errors: not_found; denied where it is another's to withdraw.
    virtual base::result<void> revoke(std::string_view domain, std::string_view cache_key) = 0;
    virtual base::result<void> erase(std::string_view domain, std::string_view cache_key) = 0;
};

// Newest first, of one moment by cache key: the order of `find_question` and `list`.
void sort_newest_first(std::vector<std::shared_ptr<const found_record>>& records);

}  // namespace gdalmcp::reflection
