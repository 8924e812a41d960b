// How the keys of a call are computed, for a reader who wants to recompute them.
#pragma once
#include "reflection/gate.hpp"

namespace gdalmcp::reflection {

// Per domain of the tool: {domain, key_arguments: [{name, normal, given, source}], keys: [{hashed, cache_key,
// question_hashed, question_hash}]}, `hashed` and `question_hashed` the canonical JSON that is hashed; or {domain,
// problem}. There are several keys if the choice is a list: one for each member.
json::array key_report(const specs& asked, const call& c);

}  // namespace gdalmcp::reflection
