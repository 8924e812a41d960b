// A prompt: Markdown with YAML front matter, rendered with mustache.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "reflection/prompt_message.hpp"
#include "reflection/prompt_question.hpp"

namespace gdalmcp::reflection {

namespace json = boost::json;

struct prompt_argument {
    std::string name;
    std::string description;
    bool required = false;
};

struct prompt {
    std::string name;
    std::string title;
    std::string description;
    std::vector<prompt_argument> arguments;
    std::vector<std::string> equivalent_to;  // hashes of earlier wordings that asked the same
    std::vector<prompt_message> before;      // messages before the text
    std::vector<prompt_question> asks;       // of the person, for arguments the caller did not give
    std::string body;                        // as hashed: LF, no comments, no trailing blanks, one final newline
    std::string hash;                        // first 16 hex digits of SHA-256(body)

    // Every {{argument}} replaced by its text, nothing escaped; lists and objects as JSON; absent ones are empty.
    std::string render(const json::object& values) const;

    // All messages for prompts/get: those of the front matter, then the text as one of the user.
    json::array messages(const json::object& values) const;

    // Its entry in prompts/list: name, title, description, arguments[{name, description, required}]. Arguments that a
    // person can be asked for are not required of the caller.
    json::object definition() const;
};

// State before rendering: known arguments and open questions to a person.
struct prompt_inquiry {
    json::object arguments;  // the caller's and the person's
    json::object requests;   // question -> {method, params}; empty: go on and render
};

// `given` by the caller, `responses` by the client to earlier requests ({question: {action, content}} or null). A
// question is asked while one of its fields is unknown and it has no answer. Ignore `requests` for clients that cannot
// be asked.
prompt_inquiry questions_of(const prompt& p, json::object given, const json::value& responses);

// Errors name `file`, line and field. Refused: no front matter, unknown fields, a text that uses an argument the front
// matter does not declare, a template mustache cannot read, a file that is not among `files`.
base::result<prompt> parse_prompt(std::string_view text, std::string_view file, const prompt_files& files = {});

// Markdown as agents get it: LF, no comments, no trailing blanks, no empty lines around, one final newline.
std::string normal_body(std::string_view markdown);

}  // namespace gdalmcp::reflection
