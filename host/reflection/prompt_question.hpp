// Questions of a prompt to the person before it is rendered.
#pragma once
#include <map>
#include <string>

#include "base/schema.hpp"

namespace gdalmcp::reflection {

namespace json = boost::json;

// A form; each of its fields is an argument of the prompt.
struct prompt_question {
    std::string name;     // of the question on the wire
    std::string message;  // a template
    base::schema form;

    bool asks(std::string_view argument) const;
};

// `text` is one member of the front matter's `ask`, of the shape that parse_prompt has checked. Errors: a form that
// clients need not support: nested, without fields, with keywords beyond type, title, description, enum, default and
// the limits of length and number. `at` is the field.
base::result<prompt_question> parse_prompt_question(std::string_view name, const json::value& text);

// One question as a request of MCP: {method: "elicitation/create", params}. REQUIRES: a client that takes forms.
json::object request_of(const prompt_question& q, const json::object& arguments);

// Copies the client's answer into `arguments` without overwriting. True: the question is settled, because the form is
// filled in or was declined; false: it must still be asked.
bool take_answer(const prompt_question& q, const json::value& responses, json::object& arguments);

}  // namespace gdalmcp::reflection
