// A record: one stored answer with everything needed to verify it later.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "reflection/answer.hpp"
#include "reflection/specs.hpp"

namespace gdalmcp::reflection {

struct record {
    std::string domain;
    std::string cache_key;
    std::string question_hash;
    std::string prompt_hash;
    std::string timestamp;  // RFC 3339, UTC, milliseconds
    std::string chosen_by;
    std::string last_confirmed;  // the newest of timestamp and revisits
    reflection::confidence confidence = confidence::low;
    json::object text;     // the whole record, digest included
    bool implied = false;  // by the reason that is its last parent; of new records

    const json::object& answer() const { return text.at("justification").get_object(); }
    // The facts the reason was given or confirmed under; none: it was given without data.
    std::vector<json::object> situations() const;
    std::string ref() const { return "justification://" + domain + "/" + cache_key; }
};

struct record_origin {
    std::string tool_name;             // the call that asked, may be empty
    std::vector<std::string> parents;  // cache keys this reason builds on
    std::string timestamp;
    json::object situation = {};  // empty: given without data
};

inline constexpr std::size_t max_situations = 16;  // of one reason; the oldest goes

record make_record(const spec& s, const json::object& key_arguments, const answer& a, const record_origin& from);

// Of a list-valued choice every member has a record of its own; those that the spec's `implies` derives follow, with
// the record they come from among their parents.
std::vector<record> records_of(const spec& s, const json::object& key_arguments, const answer& a,
                               const record_origin& from);

// Adds a confirmation: one sentence that the reason also holds here, given after `changed` was shown. The record is its
// own parent.
record confirmed(const record& r, const confirmation& c, const std::vector<std::string>& changed,
                 json::object situation, const std::string& timestamp);

// A reason given without data takes the facts of the first call that uses it.
record adopted(const record& r, json::object situation);

// A record is valid if its digest, its keys (recomputed from its content) and its answer's fields agree. Errors name
// the one that does not. The gate, which has the spec, checks choice.method against the key.
base::result<record> read_record(std::string_view text, std::string_view domain, std::string_view cache_key);

}  // namespace gdalmcp::reflection
