// The question of one ruling as JSON: whole in preflight, short in a refusal.
#pragma once
#include "reflection/gate.hpp"

namespace gdalmcp::reflection {

// What a short entry holds beside the question; the text and preflight say the rest. no_figures: nor a plan;
// no_schema_ref: nor that; none: nor conflicts, which the answer_schema still names;
// no_paths: what is longer than a name, and the choice, stand in `retry` alone.
enum class extras {
    all,
    no_source,
    no_figures,
    short_summary,
    no_evidence,
    short_conflicts,
    no_schema_ref,
    none,
    no_paths,
    no_references
};
constexpr extras last_extras = extras::no_references;

// An entry of a refusal's `missing`.
json::object short_entry(const ruling& r, const call& c, extras show);

// The same question with the whole evidence; without what its receipt or the call's `retry` says beside it. explained:
// its schema says what each member means, which of several entries one does.
json::object missing_entry(const ruling& r, const call& c, bool explained = true);

// What is in conflict, in at most so many bytes: the input by its name where its path does not fit, then cut.
std::string in_few_words(const ruling& r, const finding& f, std::size_t most);

// The answer to fill in.
json::object skeleton_of(const ruling& r);

// Members of more bytes than these are not repeated to the caller who sent them, by a refusal and by preflight.
constexpr std::size_t most_repeated = 1000, most_repeated_whole = 4000;

}  // namespace gdalmcp::reflection
