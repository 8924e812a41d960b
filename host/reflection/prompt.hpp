// A prompt: Markdown with YAML front matter, rendered with mustache.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"

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
    std::string body;                        // as hashed: LF, no comments, no trailing blanks, one final newline
    std::string hash;                        // first 16 hex digits of SHA-256(body)

    // Every {{argument}} replaced by its text, nothing escaped; lists and objects as JSON; absent ones are empty.
    std::string render(const json::object& values) const;

    // As prompts/list wants it: name, title, description, arguments[{name, description, required}].
    json::object definition() const;
};

// Errors name `file` and the front matter's field. Refused: no front matter, unknown fields, a body that uses an
// argument the front matter does not declare, a template mustache cannot read.
base::result<prompt> parse_prompt(std::string_view text, std::string_view file);

}  // namespace gdalmcp::reflection
