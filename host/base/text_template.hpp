// Text with {{names}} in it, rendered with mustache.
#pragma once
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "base/json.hpp"

namespace gdalmcp::base {

// A value as templates show it: strings as they are, nothing for null, other values as canonical JSON.
std::string plain_text(const json::value& v);

// Immutable, cheap to make.
//   auto t = text_template::parse("Why {{a}}?{{#b}} And {{b}}?{{/b}}");
//   t->render({{"a", "this"}});   // "Why this?"
class text_template {
public:
    // In time linear in the text. Errors: what mustache cannot read, a tag that contains a brace, sections nested
    // deeper than 32 levels, a change of delimiters; `line` 0 means "not known", an empty `hint` that the message names
    // the remedy.
    struct defect {
        std::string message;
        std::size_t line = 0;
        std::string hint = {};
    };
    static tl::expected<text_template, defect> parse(std::string text);

    struct use {
        std::string name;
        std::size_t line;  // from 1
    };
    const std::vector<use>& uses() const { return uses_; }  // of {{name}}, {{#name}}, {{{name}}}, … in order

    // Every value by plain_text and `escape`; absent and empty values are empty text and a false section. {{{name}}}
    // and {{&name}} are not escaped.
    using escaping = std::function<std::string(const std::string&)>;
    std::string render(const json::object& values, const escaping& escape = unescaped) const;
    static std::string unescaped(const std::string& s) { return s; }

private:
    explicit text_template(std::string text);
    std::string text_;
    std::vector<use> uses_;
};

}  // namespace gdalmcp::base
