// Answers: the reason somebody gives for a choice, in its minimal and its full form.
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
    std::vector<std::string> warnings;  // lint: worth a better sentence, never a refusal
};

struct answer_question {
    std::string domain;
    std::string choice;     // what choice.method must mean
    std::string chosen_by;  // said beside the answer; outranks the answer's own member; empty = not said
    // The normal form of a method's spelling; its problem when there is none (free text in an alternative).
    std::function<base::result<std::string>(std::string_view method)> normalise;
    std::vector<const asked_fact*> asks = {};   // what the answer's `facts` must say
    std::vector<const asked_fact*> known = {};  // further facts it may say
};

// Reads an answer in either form. Errors (invalid_justification) name every empty field, else the first field that is
// wrong; `at` begins with `place`, e.g. "/justification/crs_datum".
base::result<answer> read_answer(const json::value& given, const answer_question& q, const std::string& place);

// The three things an answer can be: a reason; the word that an earlier reason still holds; the word that nothing is at
// stake here.
enum class answer_form { reason, still_holds, waiver };
answer_form form_of(const json::value& given);

struct confirmation {
    std::string sentence;
    std::string chosen_by;
    json::object facts;
};
// {"still_holds": sentence, "chosen_by"?, "facts"?}
base::result<confirmation> read_confirmation(const json::value& given, const answer_question& q,
                                             const std::string& place);

// {"needs_escalation": false, "reason": sentence} -> the sentence.
base::result<std::string> read_waiver(const json::value& given, const std::string& place);

// What a stored answer must still satisfy; its method spellings are normal already.
base::result<void> check_stored_answer(const json::value& text, std::string_view chosen_by);

// The JSON Schema shown with a question; inline, flat, with choice.method fixed and the facts it asks for.
json::object answer_schema(std::string_view choice, const std::vector<const asked_fact*>& asks = {});

// The same for the word that an earlier reason still holds.
json::object confirmation_schema(const std::vector<const asked_fact*>& asks);

// The complete form, for schema://justification.
const json::value& justification_schema();

// choice.method filled, every free text empty.
json::object answer_skeleton(std::string_view choice, const std::vector<const asked_fact*>& asks = {});
json::object confirmation_skeleton(const std::vector<const asked_fact*>& asks);

// What is enough when the user made the choice.
json::object user_skeleton(std::string_view choice, const std::vector<const asked_fact*>& asks);

}  // namespace gdalmcp::reflection
