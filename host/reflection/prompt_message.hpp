// Messages of a prompt's front matter beside its text, in the roles of MCP.
#pragma once
#include <functional>
#include <string>
#include <string_view>

#include "base/json.hpp"

namespace gdalmcp::reflection {

namespace json = boost::json;

struct prompt_message {
    enum class kind { text, image, audio, resource };
    std::string role;  // user, assistant
    kind what = kind::text;
    std::string text;       // of a text: a template
    std::string uri;        // of a resource: a template
    std::string mime_type;  // of an image, audio, or a resource with bytes of its own
    std::string bytes;      // of the file that is named
    bool has_file = false;  // a resource without one is to be looked up by its URI

    // {role, content} as prompts/get answers it. A resource without a file has neither text nor blob yet.
    json::object wire(const json::object& values) const;
};

// The bytes of a file that came with the prompt, by its name; nullptr: there is none.
using prompt_files = std::function<const std::string*(std::string_view name)>;

// One member of the front matter's `messages`, of the shape that parse_prompt has checked. Errors: `at` is the field.
base::result<prompt_message> parse_prompt_message(const json::value& text, const prompt_files& files);

}  // namespace gdalmcp::reflection
