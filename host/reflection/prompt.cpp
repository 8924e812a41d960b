#include "reflection/prompt.hpp"

#include <algorithm>

#include "base/digest.hpp"
#include "base/hidden_characters.hpp"
#include "base/near_names.hpp"
#include "base/text_template.hpp"
#include "base/yaml.hpp"
#include "reflection/condition.hpp"

namespace gdalmcp::reflection {
namespace {

using base::fail;
using base::result;
namespace code = base::code;

constexpr const char* front_matter_schema = R"({
  "type": "object", "additionalProperties": false, "required": ["name", "title", "description"],
  "properties": {
    "name": {"type": "string", "pattern": "^[a-z][a-z0-9_-]{0,63}$"},
    "title": {"type": "string", "minLength": 1, "maxLength": 200, "pattern": "^[^\\n\\t]*$"},
    "description": {"type": "string", "minLength": 1, "maxLength": 1000},
    "arguments": {"type": "array", "maxItems": 100, "items": {
      "type": "object", "additionalProperties": false, "required": ["name", "description"],
      "properties": {"name": {"type": "string", "pattern": "^[a-zA-Z][a-zA-Z0-9_]{0,63}$"},
                     "description": {"type": "string", "minLength": 1}, "required": {"type": "boolean"}}}},
    "messages": {"type": "array", "maxItems": 50, "items": {
      "type": "object", "additionalProperties": false, "required": ["role"],
      "properties": {
        "role": {"type": "string", "enum": ["user", "assistant"]},
        "text": {"type": "string", "minLength": 1},
        "image": {"type": "object", "additionalProperties": false, "required": ["file"],
          "properties": {"file": {"type": "string"}, "mime_type": {"type": "string"}}},
        "audio": {"type": "object", "additionalProperties": false, "required": ["file"],
          "properties": {"file": {"type": "string"}, "mime_type": {"type": "string"}}},
        "resource": {"type": "object", "additionalProperties": false, "required": ["uri"],
          "properties": {"uri": {"type": "string", "minLength": 1}, "file": {"type": "string"},
                         "mime_type": {"type": "string"}}}}}},
    "ask": {"type": "object", "additionalProperties": {
      "type": "object", "additionalProperties": false, "required": ["message", "schema"],
      "properties": {"message": {"type": "string", "minLength": 1, "maxLength": 600}, "schema": {"type": "object"}}}},
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

// `keep_lines`: what follows a comment stays on its line.
std::string without_comments(std::string_view s, bool keep_lines = false) {
    std::string out;
    for (;;) {
        const auto open = s.find("<!--");
        const auto close = open == std::string_view::npos ? open : s.find("-->", open + 4);
        if (close == std::string_view::npos) return out.append(s);
        out.append(s.substr(0, open));
        if (keep_lines)
            out.append(static_cast<std::size_t>(std::count(s.begin() + open, s.begin() + close, '\n')), '\n');
        s.remove_prefix(close + 3);
    }
}

struct parts {
    std::string front, body;
    std::size_t body_line;  // of the file
};

result<parts> split(std::string_view text, const std::string& file) {
    const auto unix_text = with_unix_newlines(text);
    if (unix_text.substr(0, 4) != "---\n")
        return fail(code::invalid_argument, file + ", line 1: does not begin with front matter",
                    "begin the file with a line ---, the fields, and another line ---");
    const auto end = unix_text.find("\n---\n", 3);
    if (end == std::string::npos)
        return fail(code::invalid_argument, file + ", line 1: the front matter is not closed",
                    "close it with a line of three dashes and write the prompt's text after it");
    // An empty line where the dashes were, so that a YAML parser counts the lines of the file.
    return parts{unix_text.substr(3, end + 1 - 3), unix_text.substr(end + 5),
                 1 + static_cast<std::size_t>(std::count(unix_text.begin(), unix_text.begin() + end + 5, '\n'))};
}

// Parser of one prompt file; tracks the line of every field.
class reader {
public:
    reader(std::string file, const prompt_files& files) : file_{std::move(file)}, files_{files} {}

    result<prompt> read(std::string_view text) {
        if (auto ok = base::check_nothing_hidden(text); !ok)
            return fail(code::invalid_argument, file_ + ", " + ok.error().message, ok.error().hint);
        const auto both = split(text, file_);
        if (!both) return tl::unexpected{both.error()};
        auto front = base::parse_yaml_document(both->front);
        if (!front) return fail(code::invalid_argument, file_ + ", " + front.error().message, front.error().hint);
        front_ = std::move(*front);
        if (const auto ok = front_matter().check(front_.value, "the front matter"); !ok) return wrong(ok.error());
        fields();
        return messages().and_then([&] { return questions(); }).and_then([&] { return body(*both); }).map([&] {
            return std::move(p_);
        });
    }

private:
    tl::unexpected<base::problem> wrong(const base::problem& p, const std::string& field = {}) const {
        auto at = field + p.at;
        while (!at.empty() && !front_.lines.count(at)) at.erase(at.rfind('/'));
        return fail(code::invalid_argument, file_ + ", line " + std::to_string(front_.lines.at(at)) + ": " + p.message,
                    p.hint);
    }

    void fields() {
        const auto& front = front_.value;
        p_.name = base::string_member(front, "name");
        p_.title = base::string_member(front, "title");
        p_.description = base::string_member(front, "description");
        if (const auto* list = base::find_member(front, "arguments"))
            for (const auto& a : list->get_array())
                p_.arguments.push_back({std::string{base::string_member(a, "name")},
                                        std::string{base::string_member(a, "description")},
                                        base::bool_member(a, "required")});
        if (const auto* list = base::find_member(front, "equivalent_to"))
            for (const auto& hash : list->get_array()) p_.equivalent_to.emplace_back(hash.get_string());
    }

    bool declared(std::string_view name) const {
        return std::any_of(p_.arguments.begin(), p_.arguments.end(),
                           [&](const prompt_argument& a) { return a.name == name; });
    }

    // The first name in a template that is not an argument, if any.
    std::optional<base::text_template::use> undeclared(const std::string& text) const {
        const auto t = base::text_template::parse(text);
        for (const auto& use : t->uses())
            if (!declared(use.name) && use.name != "choice") return use;
        return std::nullopt;
    }
    base::problem unknown(const std::string& name) const {
        std::vector<std::string> known{"choice"};
        for (const auto& a : p_.arguments) known.push_back(a.name);
        const auto near = base::nearest(known, name);
        return {code::invalid_argument, "the text uses {{" + name + "}}, which arguments do not declare",
                (near.empty() ? "" : "did you mean " + base::joined(near) + "? Otherwise ") + "add '" + name +
                    "' to the front matter's arguments",
                ""};
    }

    result<void> messages() {
        const auto* list = base::find_member(front_.value, "messages");
        for (std::size_t i = 0; list && i < list->get_array().size(); ++i) {
            const auto at = "/messages/" + std::to_string(i);
            auto m = parse_prompt_message(list->get_array()[i], files_);
            if (!m) return wrong(m.error(), at);
            for (const auto* text : {&m->text, &m->uri})
                if (const auto use = undeclared(*text)) return wrong(unknown(use->name), at);
            p_.before.push_back(std::move(*m));
        }
        return {};
    }

    result<void> questions() {
        const auto* asked = base::find_member(front_.value, "ask");
        if (!asked) return {};
        for (const auto& m : asked->get_object()) {
            const auto at = "/ask/" + std::string{m.key()};
            auto q = parse_prompt_question(m.key(), m.value());
            if (!q) return wrong(q.error(), at);
            if (const auto use = undeclared(q->message)) return wrong(unknown(use->name), at);
            for (const auto& field : q->form.text().at("properties").get_object())
                if (!declared(field.key()))
                    return wrong(
                        {code::invalid_argument,
                         "the form requests '" + std::string{field.key()} + "', which arguments do not declare",
                         "add it to the front matter's arguments", ""},
                        at);
            p_.asks.push_back(std::move(*q));
        }
        return {};
    }

    result<void> body(const parts& both) {
        p_.body = normal_body(both.body);
        p_.hash = base::sha256_hex(p_.body).substr(0, 16);
        const auto here = [&](std::size_t line) {
            return file_ + ", line " + std::to_string(both.body_line + (line ? line - 1 : 0)) + ": ";
        };
        if (p_.body.empty() && p_.before.empty())
            return fail(code::invalid_argument, here(0) + "the prompt has no text");
        const auto in_place = without_comments(both.body, true);
        if (const auto t = base::text_template::parse(in_place); !t)
            return fail(code::invalid_argument, here(t.error().line) + t.error().message, t.error().hint);
        if (const auto use = undeclared(in_place)) {
            const auto p = unknown(use->name);
            return fail(p.code, here(use->line) + p.message, p.hint);
        }
        return {};
    }

    const std::string file_;
    const prompt_files& files_;
    base::yaml_document front_;
    prompt p_;
};

}  // namespace

// As hashed: see docs/reflection.md.
std::string normal_body(std::string_view markdown) {
    const auto text = without_comments(with_unix_newlines(markdown));
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

std::string prompt::render(const json::object& values) const {
    return base::text_template::parse(body)->render(values);
}

json::array prompt::messages(const json::object& values) const {
    json::array all;
    for (const auto& m : before) all.push_back(m.wire(values));
    if (!body.empty())
        all.push_back(
            json::object{{"role", "user"}, {"content", json::object{{"type", "text"}, {"text", render(values)}}}});
    return all;
}

json::object prompt::definition() const {
    json::array list;
    for (const auto& a : arguments) {
        const bool asked =
            std::any_of(asks.begin(), asks.end(), [&](const prompt_question& q) { return q.asks(a.name); });
        list.push_back(
            json::object{{"name", a.name}, {"description", a.description}, {"required", a.required && !asked}});
    }
    return {{"name", name}, {"title", title}, {"description", description}, {"arguments", std::move(list)}};
}

prompt_inquiry questions_of(const prompt& p, json::object given, const json::value& responses) {
    prompt_inquiry inquiry{std::move(given), {}};
    for (const auto& q : p.asks) {
        const bool answered = take_answer(q, responses, inquiry.arguments);
        const auto& fields = q.form.text().at("properties").get_object();
        const bool known = std::all_of(fields.begin(), fields.end(), [&](const auto& field) {
            return !is_absent(inquiry.arguments.if_contains(field.key()));
        });
        if (!answered && !known) inquiry.requests[q.name] = request_of(q, inquiry.arguments);
    }
    return inquiry;
}

result<prompt> parse_prompt(std::string_view text, std::string_view file, const prompt_files& files) {
    return reader{std::string{file}, files}.read(text);
}

}  // namespace gdalmcp::reflection
