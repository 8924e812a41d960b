// One domain's ruling on one call. Used by gate.cpp only.
#pragma once
#include "reflection/gate.hpp"

namespace gdalmcp::reflection {

struct inquiry {
    const call& asked;
    const facts_lookup& facts;  // inputs are read at most once
    store& where;
    const std::string& now;
    const std::map<std::string, std::string, std::less<>>& waivers;  // domain -> why nothing is at stake
};

base::result<ruling> judge(const spec& s, const policy& p, const inquiry& q);

// The ruling's own question, for reading an answer to it.
answer_question question_of(const ruling& r, const crs_lookup& crs, argument_reader reader);

// The facts of the call with an answer applied: its situation and conflicts.
void take_answer(ruling& r, const call& c, const json::object& answer, const json::object& stated);

// Measures the spec's evidence that has not been measured yet.
void measure_evidence(ruling& r, const call& c);

}  // namespace gdalmcp::reflection
