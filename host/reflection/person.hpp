// Asking a person for a reason, and the client's model for a review of one: the requests, and reading the responses.
// Pure; the requests and responses are those of MCP (elicitation/create, sampling/createMessage).
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "reflection/scope.hpp"

namespace gdalmcp::reflection {

namespace json = boost::json;

// One domain's question, as a person needs it.
struct personal_question {
    std::string tool;                          // raster_reproject; at most 64 bytes, as all names of tools
    std::string title;                         // of the choice: "target CRS", "data type Int16 (dtype)"
    std::string choice;                        // EPSG:3857; empty: the title names it
    std::string question;                      // the spec's line
    std::vector<std::string> numbers;          // measured, a sentence each, the most telling first
    std::vector<const asked_fact*> asks = {};  // to be stated in a field each
};

inline constexpr std::size_t max_message = 600;  // bytes

// The params of elicitation/create: a flat form of texts and enumerations, which every revision with elicitation
// supports. Accepting confirms the choice, declining refuses it. The message is cut to its limit; numbers go first,
// from the last.
json::object form_of(const personal_question& q);
// The form about conflicts that only a stated fact shows; `q.numbers` are the conflicts. It asks why the choice is
// right all the same.
json::object conflict_form_of(personal_question q);
// What the accepted form about conflicts says; may be empty.
std::string why_accepted_of(const json::value& response);

enum class action { accept, decline, cancel };

// The action of a response to the form; an invalid one counts as cancelled.
action action_of(const json::value& response);

// The answer that an accepted form gives, for read_answer: fields left out are empty there and reported by it; an
// alternative without a reason is kept as considered, a reason without its alternative as context. Who chose is the
// user. Facts that were asked but are left out are absent.
json::object answer_of(const json::value& response, std::string_view choice,
                       const std::vector<const asked_fact*>& asks = {});

// The params of sampling/createMessage: does the reason hold for this call? Long arguments are cut.
json::object second_look_request(std::string_view tool, const json::value& arguments, const json::value& justification);

struct second_look {
    bool ok = false;
    std::vector<std::string> notes;  // at most 5, of at most 300 bytes
};

// Reads {"ok", "notes"} out of whatever the model says around it; of several the one that rejects counts, and `ok` may
// be a word. nullptr: the client gave no response. Errors: why there is no review, for the receipt and a warning; they
// never refuse the call.
tl::expected<second_look, std::string> second_look_of(const json::value* response);

}  // namespace gdalmcp::reflection
