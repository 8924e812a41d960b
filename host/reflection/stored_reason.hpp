// The stored reason of a ruling: which one answers the question, and whether it holds for this call.
#pragma once
#include "reflection/judge.hpp"

namespace gdalmcp::reflection {

// Fresh, or under another wording of its prompt: then `stale` has its date.
void find_reason(ruling& r, store& where, std::string& stale);

// By its age, its confidence, the reasons it builds on and who chose.
void weigh(ruling& r, const std::string& stale, const std::string& now);
// By the facts it was given under.
void weigh_scope(ruling& r);

// What a policy's reaction makes of the ruling; `mild`: its outcome where the policy only warns.
void react(ruling& r, reaction how, decision mild);

}  // namespace gdalmcp::reflection
