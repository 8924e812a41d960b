// One domain's ruling on one call. Used within this room only.
#pragma once
#include "reflection/gate.hpp"

namespace gdalmcp::reflection {

struct inquiry {
    const call& asked;
    const facts_lookup& facts;  // inputs are read at most once
    store& where;
    const std::string now;
    const std::map<std::string, std::string, std::less<>>& waivers;  // domain -> why nothing is at stake
    const argument_schemas& schemas;
    const std::map<std::string, shared_finding, std::less<>> shared = {};  // check -> as of all inputs of the call
};

// `choice`: of a list-valued choice only these members ("mean", "mean+stdev"); empty: all.
base::result<ruling> judge(const spec& s, const policy& p, const inquiry& q, const std::string& choice = {});

// Which reason it builds on, directly or by way of others, was revoked, and when, if it was neither given nor confirmed
// since; else empty.
std::string revoked_parent(const found_record& reason, store& where);

// The name of a conflict in a situation, which has the digest of its data behind it: "smoothing_of_codes#1f09a2b3".
inline std::string check_of(std::string_view conflict) { return std::string{conflict.substr(0, conflict.find('#'))}; }

// The call as the ruling was made on it.
inline const call& as_judged(const ruling& r, const call& c) { return r.judged ? *r.judged : c; }

// The ruling's own question, for reading an answer to it.
answer_question question_of(const ruling& r, const crs_lookup& crs, argument_reader reader);

// The facts of the call with an answer applied: its situation and conflicts.
void take_answer(ruling& r, const call& c, const json::object& answer, const json::object& stated);

// "mean of the output cells 12.4 (nearest) to 13.1 (average), single values up to 5.6 % apart"
std::string text_of_spread(const json::object& spread);

// Measures the spec's evidence that has not been measured yet.
void measure_evidence(ruling& r, const call& c);

// The bands a call reads, by their numbers from 1; empty: all.
std::vector<std::size_t> bands_read(const json::value& arguments);

// Where the spec has a piece of the ruling's evidence from; nullptr: not for this tool.
const evidence_source* source_of(const ruling& r, const call& c, const json::value& evidence);

// A measurement of another subdataset or band than the call reads, or of data that lie elsewhere.
bool measures_another(const evidence_source& e, const json::value& arguments);

// What a decision leaves behind: {domain, risk_class, input_hash, decision, justification_ref, parents?, …, notes}.
json::object receipt_of(const ruling& r);

// Why a call whose reason is missing could not run with one, as far as its inputs and the evidence show: a layer or a
// band that the input does not have, or arguments that an evidence provider, which reads them as the tool does,
// refuses.
std::optional<base::problem> impossible(const ruling& r, const call& c);

}  // namespace gdalmcp::reflection
