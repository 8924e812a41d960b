// How the keys of a call come about, for a reader who wants to recompute them.
#pragma once
#include "reflection/gate.hpp"

namespace gdalmcp::reflection {

// Per domain of the tool: {domain, key_arguments: [{name, normal, given, source}], hashed, cache_key, question_hashed,
// question_hash}, `hashed` and `question_hashed` the canonical JSON that is hashed; or {domain, problem}.
json::array key_report(const specs& asked, const call& c);

}  // namespace gdalmcp::reflection
