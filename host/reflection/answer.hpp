// Answers: the reason for a choice, in its minimal and its full form.
#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "reflection/scope.hpp"

namespace gdalmcp::reflection {

namespace json = boost::json;

inline constexpr std::size_t max_answer = 3072;  // bytes of canonical JSON

struct answer {
    json::object text;      // canonical: intent, alternatives, choice, confidence, facts, and what the full form adds
    std::string chosen_by;  // user, agent
    std::vector<std::string> parents;   // cache keys of reasons this one builds on
    std::vector<std::string> warnings;  // lint findings; they never refuse the answer
};

struct answer_question {
    std::string domain;
    std::string choice;     // what choice.method must equal after normalisation
    std::string chosen_by;  // given beside the answer; overrides the answer's own member; empty = not given
    // The normal form of a method's spelling; a problem if there is none (free text in an alternative).
    std::function<base::result<std::string>(std::string_view method)> normalise;
    std::vector<const asked_fact*> asks = {};   // facts the answer must state
    std::vector<const asked_fact*> known = {};  // further facts it may state
    std::vector<std::string> members = {};      // of a list-valued choice; none of them can be an alternative
};

// Reads an answer in either form. Errors (invalid_justification) name every empty field, else the first field that is
// wrong; `at` begins with `place`, e.g. "/justification/crs_datum".
base::result<answer> read_answer(const json::value& given, const answer_question& q, const std::string& place);

// The three kinds of answer: a reason; a confirmation of an earlier reason; a statement that nothing is at stake.
enum class answer_form { reason, still_holds, waiver };
answer_form form_of(const json::value& given);

// The answer's choice.method as it is written, in either form; empty: it has none.
std::string method_of_answer(const json::value& given);

struct confirmation {
    std::string sentence;
    std::string chosen_by;
    json::object facts;
    json::array conflicts{};
};
// {"still_holds": sentence, "chosen_by"?, "facts"?, "conflicts"?}
base::result<confirmation> read_confirmation(const json::value& given, const answer_question& q,
                                             const std::string& place);

// {"needs_escalation": false, "reason": sentence} -> the sentence.
base::result<std::string> read_waiver(const json::value& given, const std::string& place);

// Whether an answer's `conflicts`, [{name, why_accepted}], name this one.
bool names_conflict(const json::array& conflicts, std::string_view name);
bool names_all(const json::array& conflicts, const std::vector<std::string>& names);
// Those of an answer in canonical form.
json::array conflicts_of_answer(const json::object& answer);

// Checks a stored answer; its method spellings are normal already.
base::result<void> check_stored_answer(const json::value& text, std::string_view chosen_by);

// The JSON Schema shown with a question; inline, flat, with choice.method fixed, the requested facts and the names of
// the conflicts to accept.
json::object answer_schema(std::string_view choice, const std::vector<const asked_fact*>& asks = {},
                           const std::vector<std::string>& conflicts = {});

// A schema without what only explains it, or what the skeleton shows: titles, descriptions, limits on numbers of items
// and on further members, and what parts of it require.
json::object without_remarks(json::object schema);

// The same for a confirmation of an earlier reason.
json::object confirmation_schema(const std::vector<const asked_fact*>& asks, const std::vector<std::string>& conflicts);

// The complete form, for schema://justification.
const json::value& justification_schema();

// choice.method and the names of conflicts filled, every free text empty.
json::object answer_skeleton(std::string_view choice, const std::vector<const asked_fact*>& asks = {},
                             const std::vector<std::string>& conflicts = {});
json::object confirmation_skeleton(const std::vector<const asked_fact*>& asks,
                                   const std::vector<std::string>& conflicts);

}  // namespace gdalmcp::reflection
