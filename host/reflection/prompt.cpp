#include "reflection/prompt.hpp"

#include <algorithm>
#include <cctype>
#include <kainjow/mustache.hpp>
#include <set>

#include "base/digest.hpp"
#include "base/file.hpp"
#include "base/schema.hpp"
#include "base/yaml.hpp"

namespace gdalmcp::reflection {
namespace {

using base::fail;
using base::result;
namespace code = base::code;

constexpr const char* front_matter_schema = R"({
  "type": "object", "additionalProperties": false, "required": ["name", "title", "description"],
  "properties": {
    "name": {"type": "string", "pattern": "^[a-z][a-z0-9_-]{0,63}$"},
    "title": {"type": "string", "minLength": 1},
    "description": {"type": "string", "minLength": 1, "maxLength": 1000},
    "arguments": {"type": "array", "items": {
      "type": "object", "additionalProperties": false, "required": ["name", "description"],
      "properties": {"name": {"type": "string", "pattern": "^[a-z][a-z0-9_]{0,63}$"},
                     "description": {"type": "string", "minLength": 1}, "required": {"type": "boolean"}}}},
    "equivalent_to": {"type": "array", "items": {"type": "string", "pattern": "^[0-9a-f]{16}$"}}}})";

const base::schema& front_matter() {
    static const auto s = base::schema::compile(base::parse_json(front_matter_schema).value()).value();
    return s;
}

std::string with_unix_newlines(std::string_view s) {
    std::string out;
    for (std::size_t i = 0; i < s.size(); ++i)
        if (s[i] != '\r' || i + 1 == s.size() || s[i + 1] != '\n') out += s[i];
    return out;
}

std::string without_comments(std::string_view s) {
    std::string out;
    for (;;) {
        const auto open = s.find("<!--");
        const auto close = open == std::string_view::npos ? open : s.find("-->", open + 4);
        if (close == std::string_view::npos) return out.append(s);
        out.append(s.substr(0, open));
        s.remove_prefix(close + 3);
    }
}

// The text as hashed (see docs/reflection.md): comments out, trailing blanks and outer empty lines cut, one newline.
std::string normal_body(std::string_view raw) {
    const auto text = without_comments(raw);
    std::vector<std::string> lines;
    for (std::size_t from = 0; from <= text.size();) {
        const auto end = std::min(text.find('\n', from), text.size());
        auto line = text.substr(from, end - from);
        line.erase(line.find_last_not_of(" \t") + 1);
        lines.push_back(std::move(line));
        from = end + 1;
    }
    const auto filled = [](const std::string& line) { return !line.empty(); };
    const auto first = std::find_if(lines.begin(), lines.end(), filled);
    const auto last = std::find_if(lines.rbegin(), std::make_reverse_iterator(first), filled).base();
    std::string body;
    for (auto line = first; line != last; ++line) body += *line + "\n";
    return body;
}

kainjow::mustache::mustache compiled(const std::string& body) {
    kainjow::mustache::mustache m{body};
    m.set_custom_escape([](const std::string& s) { return s; });
    return m;
}

std::string text_of(const json::value& v) {
    if (v.is_null()) return {};
    return v.is_string() ? std::string{v.get_string()} : base::canonical_json(v);
}

// The names in {{name}}, {{#name}}, {{/name}}, {{^name}}, {{{name}}}, {{&name}}.
std::set<std::string> names_used(const std::string& body) {
    std::set<std::string> names;
    for (auto at = body.find("{{"); at != std::string::npos; at = body.find("{{", at)) {
        at = body.find_first_not_of("{#/^& ", at);
        if (at == std::string::npos) break;
        const auto end = body.find_first_of("} ", at);
        names.insert(body.substr(at, end - at));
    }
    return names;
}

struct parts {
    std::string front, body;
};

result<parts> split(std::string_view text, const std::string& file) {
    const auto unix_text = with_unix_newlines(text);
    if (unix_text.substr(0, 4) != "---\n")
        return fail(code::invalid_argument, file + ": does not begin with front matter",
                    "begin the file with a line ---, the fields, and another line ---");
    const auto end = unix_text.find("\n---\n", 3);
    if (end == std::string::npos)
        return fail(code::invalid_argument, file + ": the front matter is not closed",
                    "close it with a line of three dashes and write the prompt's text after it");
    return parts{unix_text.substr(4, end + 1 - 4), unix_text.substr(end + 5)};
}

result<void> check_body(const prompt& p, const std::string& file) {
    if (p.body.empty()) return fail(code::invalid_argument, file + ": the prompt has no text");
    if (const auto m = compiled(p.body); !m.is_valid())
        return fail(code::invalid_argument, file + ": " + m.error_message());
    for (const auto& name : names_used(p.body)) {
        const auto declared = std::any_of(p.arguments.begin(), p.arguments.end(),
                                          [&](const prompt_argument& a) { return a.name == name; });
        if (!declared && name != "choice")
            return fail(code::invalid_argument,
                        file + ": the text uses {{" + name + "}}, which arguments do not declare",
                        "add '" + name + "' to the front matter's arguments");
    }
    return {};
}

}  // namespace

std::string prompt::render(const json::object& values) const {
    kainjow::mustache::data context;
    for (const auto& v : values) {
        const auto text = text_of(v.value());
        if (text.empty())
            context.set(std::string{v.key()}, kainjow::mustache::data{kainjow::mustache::data::type::bool_false});
        else
            context.set(std::string{v.key()}, text);
    }
    return compiled(body).render(context);
}

json::object prompt::definition() const {
    json::array list;
    for (const auto& a : arguments)
        list.push_back(json::object{{"name", a.name}, {"description", a.description}, {"required", a.required}});
    return {{"name", name}, {"title", title}, {"description", description}, {"arguments", std::move(list)}};
}

result<prompt> parse_prompt(std::string_view text, std::string_view file_name) {
    const std::string file{file_name};
    const auto both = split(text, file);
    if (!both) return tl::unexpected{both.error()};
    const auto front = base::parse_yaml(both->front);
    if (!front) return fail(code::invalid_argument, file + ", front matter: " + front.error().message);
    if (const auto ok = front_matter().check(*front); !ok)
        return fail(code::invalid_argument, file + ", front matter: " + ok.error().message, ok.error().hint);
    prompt p;
    p.name = base::string_member(*front, "name");
    p.title = base::string_member(*front, "title");
    p.description = base::string_member(*front, "description");
    if (const auto* list = base::find_member(*front, "arguments"))
        for (const auto& a : list->get_array())
            p.arguments.push_back({std::string{base::string_member(a, "name")},
                                   std::string{base::string_member(a, "description")},
                                   base::bool_member(a, "required")});
    if (const auto* list = base::find_member(*front, "equivalent_to"))
        for (const auto& hash : list->get_array()) p.equivalent_to.emplace_back(hash.get_string());
    p.body = normal_body(both->body);
    p.hash = base::sha256_hex(p.body).substr(0, 16);
    if (const auto ok = check_body(p, file); !ok) return tl::unexpected{ok.error()};
    return p;
}

}  // namespace gdalmcp::reflection
