#include "reflection/judged_form.hpp"

#include <algorithm>
#include <cctype>

#include "base/pointer.hpp"
#include "base/schema.hpp"
#include "reflection/condition.hpp"

namespace gdalmcp::reflection {
namespace {

using base::fail;
using base::result;
namespace code = base::code;

const json::array* list_at(const std::string& pointer, const json::value& arguments) {
    const auto* list = pointer.empty() ? nullptr : base::at_pointer(arguments, pointer);
    return list ? list->if_array() : nullptr;
}

json::value first_present(const std::vector<key_source>& sources, const json::value& arguments) {
    for (const auto& source : sources)
        if (auto v = taken(source, arguments, {}); v && !is_absent(&*v)) return std::move(*v);
    return nullptr;
}

json::value value_of(const judged_form::argument& a, const json::value& arguments) {
    if (!a.list) return first_present(a.parts.front(), arguments);
    json::array all;
    for (const auto& part : a.parts) {
        all.push_back(first_present(part, arguments));
        if (all.back().is_null()) return nullptr;
    }
    return all;
}

bool of_call(const std::vector<key_source>& sources) {
    return std::all_of(sources.begin(), sources.end(), [](const key_source& s) {
        return s.from != key_source::origin::fact && s.from != key_source::origin::key;
    });
}

// The argument of the call that a value comes from; "" if from none.
std::string name_in_call(const judged_form::argument& a) {
    for (const auto& part : a.parts)
        for (const auto& source : part)
            if (source.at.starts_with('/')) return source.at.substr(1, source.at.find('/', 1) - 1);
    return "";
}

bool in_word(char c) { return c == '_' || std::isalnum(static_cast<unsigned char>(c)); }

void rename(std::string& text, const std::string& from, const std::string& to) {
    const bool never_prose = from.find('_') != std::string::npos;
    for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at)) {
        const char before = at ? text[at - 1] : ' ';
        const char after = at + from.size() < text.size() ? text[at + from.size()] : ' ';
        const bool marked = (before == after && (before == '\'' || before == '"')) || (before == '(' && after == ')');
        const bool of_path = before == '/' || after == '/';
        const bool renamed = marked || (never_prose && !in_word(before) && !in_word(after) && !of_path);
        if (renamed) text.replace(at, from.size(), to);
        at += renamed ? to.size() : from.size();
    }
}

result<judged_form::argument> parse_argument(const json::value& text, const std::string& at) {
    judged_form::argument a;
    const auto* members = base::find_member(text, "list");
    a.list = members && members->is_array() && text.get_object().size() == 1;
    for (const auto& part : a.list ? members->get_array() : json::array{text}) {
        auto sources = parse_sources(part, at);
        if (!sources) return tl::unexpected{sources.error()};
        if (!of_call(*sources))
            return fail(code::invalid_argument, at + " comes from a fact or a key argument",
                        "take it from the arguments of the call, or write {value: v}");
        a.parts.push_back(std::move(*sources));
    }
    return a;
}

}  // namespace

std::size_t judged_form::turns(const json::value& call_arguments) const {
    const auto* list = list_at(each, call_arguments);
    return list ? std::max<std::size_t>(1, list->size()) : 1;
}

json::value judged_form::arguments_in(std::size_t turn, const json::value& call_arguments) const {
    auto given = call_arguments;
    if (const auto* list = list_at(each, call_arguments); list && turn < list->size())
        base::put_at_pointer(given, each, json::array{(*list)[turn]});
    json::object out;
    for (const auto& [name, a] : arguments)
        if (auto v = value_of(a, given); !v.is_null()) out[name] = std::move(v);
    return out;
}

json::value judged_form::facts_in(std::size_t turn, json::value facts) const {
    const auto* inputs = each.empty() ? nullptr : base::find_member(facts, "inputs");
    if (!inputs || !inputs->is_array()) return facts;
    const auto place = each + "/" + std::to_string(turn);
    for (const auto& in : inputs->get_array()) {
        if (base::string_member(in, "pointer") != place) continue;
        const auto own = in;
        facts.get_object()["input"] = own;
        facts.get_object()["inputs"] = json::array{own};
        break;
    }
    return facts;
}

std::string judged_form::as_called(std::string text) const {
    for (const auto& [name, a] : arguments)
        if (const auto called = name_in_call(a); !called.empty()) rename(text, name, called);
    return text;
}

base::problem judged_form::as_called(base::problem p) const {
    p.message = as_called(std::move(p.message));
    p.hint = as_called(std::move(p.hint));
    for (const auto& [name, a] : arguments)
        if (const auto called = name_in_call(a); !called.empty() && p.at == "/" + name) {
            p.at = "/" + called;
            break;
        }
    return p;
}

const base::schema& judged_form_shape() {
    static const auto shape = base::schema::constant(R"({
        "type": "object", "additionalProperties": false, "required": ["tool", "arguments"], "properties": {
            "tool": {"type": "string"}, "each": {"type": "string", "pattern": "^/"},
            "arguments": {"type": "object", "minProperties": 1}}})");
    return shape;
}

result<judged_form> parse_judged_form(const json::value& text, const std::string& at) {
    if (auto ok = judged_form_shape().check(text, "it"); !ok)
        return fail(code::invalid_argument, at + ": " + ok.error().message, ok.error().hint);
    judged_form form;
    form.tool = base::string_member(text, "tool");
    form.each = base::string_member(text, "each");
    for (const auto& m : base::find_member(text, "arguments")->get_object()) {
        auto a = parse_argument(m.value(), at + "/arguments/" + std::string{m.key()});
        if (!a) return tl::unexpected{a.error()};
        form.arguments.emplace(m.key(), std::move(*a));
    }
    return form;
}

}  // namespace gdalmcp::reflection
