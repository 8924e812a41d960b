// A record: one stored answer with everything needed to trust it later.
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
    reflection::confidence confidence = confidence::low;
    json::object text;  // the whole record, digest included

    std::string ref() const { return "justification://" + domain + "/" + cache_key; }
};

struct record_origin {
    std::string tool_name;             // the call that asked, may be empty
    std::vector<std::string> parents;  // cache keys this reason builds on
    std::string timestamp;
};

record make_record(const spec& s, const json::object& key_arguments, const answer& a, const record_origin& from);

// A record read back is believed when its digest, its keys (recomputed from its content) and its answer's fields agree.
// Errors say which of them does not. That choice.method fits the key is the gate's to check: it knows the spec.
base::result<record> read_record(std::string_view text, std::string_view domain, std::string_view cache_key);

}  // namespace gdalmcp::reflection
