// Answers: the reason somebody gives for a choice, in its minimal and its full form.
#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"

namespace gdalmcp::reflection {

namespace json = boost::json;

inline constexpr std::size_t largest_answer = 3072;  // bytes of canonical JSON

struct answer {
    json::object text;      // canonical: intent, alternatives, choice, confidence, and what the full form adds
    std::string chosen_by;  // user, agent
    std::vector<std::string> warnings;  // lint: worth a better sentence, never a refusal
};

struct answer_question {
    std::string domain;
    std::string choice;     // what choice.method must mean
    std::string chosen_by;  // said beside the answer; outranks the answer's own member; empty = not said
    // The normal form of a method's spelling; its problem when there is none (free text in an alternative).
    std::function<base::result<std::string>(std::string_view method)> normalise;
};

// Reads an answer in either form. Errors (invalid_justification) name every empty field, else the first field that is
// wrong; `at` begins with `place`, e.g. "/justification/crs_datum".
base::result<answer> read_answer(const json::value& given, const answer_question& q, const std::string& place);

// What a stored answer must still satisfy; its method spellings are normal already.
base::result<void> check_stored_answer(const json::value& text, std::string_view chosen_by);

// The JSON Schema shown with a question; inline, flat, with choice.method fixed.
json::object answer_schema(std::string_view choice);

// The complete form, for schema://justification.
const json::value& justification_schema();

// choice.method filled, every free text empty.
json::object answer_skeleton(std::string_view choice);

}  // namespace gdalmcp::reflection
