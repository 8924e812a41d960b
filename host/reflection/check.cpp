#include "reflection/check.hpp"

#include "base/pointer.hpp"
#include "base/schema.hpp"
#include "reflection/digits.hpp"
#include "reflection/long_text.hpp"
#include "reflection/normal_form.hpp"
#include "reflection/placeholders.hpp"

namespace gdalmcp::reflection {
namespace {

using base::fail;
using base::result;
namespace code = base::code;

constexpr const char* check_schema = R"({
  "type": "object", "additionalProperties": false, "required": ["name", "when", "message"], "properties": {
    "name": {"type": "string", "pattern": "^[a-z][a-z0-9_]{0,63}$"},
    "when": {"type": "object"},
    "message": {"type": "string", "minLength": 1, "maxLength": 300},
    "advice": {"type": "string", "maxLength": 200},
    "count": {"type": "string", "pattern": "^/"},
    "found_in": {"type": "array", "minItems": 1, "items": {"type": "string", "pattern": "^(argument:)?/"}},
    "outcome": {"type": "string", "enum": ["warn", "ask", "refuse"]}}})";

std::string shown_number(double d) { return base::format_number(significant(d, 3)); }

std::string shown(const json::value* v) {
    if (!v || v->is_null()) return "(not known)";
    if (v->is_string()) return std::string{v->get_string()};
    if (v->is_double()) return shown_number(v->get_double());
    if (v->is_array()) {
        std::string words;
        for (const auto& one : v->get_array())
            if (one.is_string()) words += (words.empty() ? "" : ", ") + std::string{one.get_string()};
        if (!words.empty()) return words;
        auto rounded = *v;
        round_numbers(rounded, 4);
        return base::write_json(rounded);
    }
    return base::write_json(*v);
}

const json::value* named(std::string_view token, const circumstances& here) {
    const auto in = [&](std::string_view prefix, const json::value* where) -> const json::value* {
        return where ? base::at_pointer(*where, token.substr(prefix.size())) : nullptr;
    };
    if (token.starts_with("key:")) return here.key ? here.key->if_contains(token.substr(4)) : nullptr;
    if (token.starts_with("argument:")) return in("argument:", here.arguments);
    if (token.starts_with("answer:")) return in("answer:", here.answer);
    return in("", here.facts);
}

// A CRS without a code is a digest in the key, and spelled out by the call.
const json::value& as_given(std::string_view name, const json::value& in_key, const circumstances& here) {
    if (!here.arguments || !here.normalise || !is_projjson_hash(in_key.get_string())) return in_key;
    for (const auto argument : {name, std::string_view{"src_crs"}})
        if (const auto* given = base::find_member(*here.arguments, argument); given && given->is_string())
            if (const auto normal = here.normalise(name, *given); normal && *normal == in_key) return *given;
    return in_key;
}

// "percent:" before a token writes a share as such. Of "a|b|text:c" the first that has a value.
std::string written(std::string_view token, const circumstances& here) {
    constexpr std::string_view percent = "percent:", words = "text:";
    if (const auto bar = token.find('|'); bar != std::string_view::npos) {
        const auto first = token.substr(0, bar);
        const auto* value = named(first.starts_with(percent) ? first.substr(percent.size()) : first, here);
        return written(is_absent(value) ? token.substr(bar + 1) : first, here);
    }
    if (token.starts_with(words)) return std::string{token.substr(words.size())};
    const auto* value = named(token, here);
    // Of the caller's own values; those of facts are written as they are.
    if (value && value->is_string() && token.starts_with("key:"))
        return in_short(as_given(token.substr(4), *value, here).get_string());
    if (value && value->is_string() && token.starts_with("argument:")) return in_short(value->get_string());
    if (!token.starts_with(percent)) return shown(value);
    const auto* share = named(token.substr(percent.size()), here);
    return share && share->is_number() ? shown_number(100 * share->to_number<double>()) + " %" : shown(share);
}

}  // namespace

std::string filled(std::string_view text, const circumstances& here) {
    std::string out;
    for (;;) {
        const auto open = text.find('{');
        const auto close = open == std::string_view::npos ? open : text.find('}', open);
        if (close == std::string_view::npos) {
            out.append(text);
            return here.as_called ? here.as_called(std::move(out)) : out;
        }
        out.append(text.substr(0, open));
        out += written(text.substr(open + 1, close - open - 1), here);
        text.remove_prefix(close + 1);
    }
}

const base::schema& check_shape() {
    static const auto shape = base::schema::compile(base::parse_json(check_schema).value()).value();
    return shape;
}

result<check> parse_check(const json::value& text, const std::string& at) {
    if (auto ok = check_shape().check(text, "the check"); !ok)
        return fail(code::invalid_argument, at + ": " + ok.error().message, ok.error().hint);
    for (const char* member : {"message", "advice"})
        if (const auto names = placeholders_of(base::string_member(text, member)); !names)
            return fail(code::invalid_argument, at + "/" + member + ": " + names.error().message, names.error().hint);
    check c;
    c.name = base::string_member(text, "name");
    c.message = base::string_member(text, "message");
    c.advice = base::string_member(text, "advice");
    c.count = base::string_member(text, "count");
    if (const auto* data = base::find_member(text, "found_in"))
        for (const auto& one : data->get_array()) c.found_in.emplace_back(one.get_string());
    c.outcome = *check_outcome_of(base::string_member(text, "outcome", "warn"));
    auto when = parse_condition(*base::find_member(text, "when"), at + "/when");
    if (!when) return tl::unexpected{when.error()};
    c.when = std::move(*when);
    return c;
}

std::vector<finding> findings_of(const std::vector<check>& checks, const circumstances& here, const policy& p) {
    std::vector<finding> out;
    for (const auto& c : checks) {
        const auto overruled = p.checks.find(c.name);
        const auto outcome = overruled == p.checks.end() ? c.outcome : overruled->second;
        if (outcome == check_outcome::off || holds(c.when, here) != truth::yes) continue;
        const auto* count = c.count.empty() ? nullptr : named(c.count, here);
        out.push_back({c.name, outcome, filled(c.message, here), filled(c.advice, here),
                       count && count->is_number() ? *count : json::value{}});
        for (const auto& token : c.found_in)
            if (const auto* value = named(token, here); !is_absent(value)) out.back().data.push_back(*value);
    }
    return out;
}

}  // namespace gdalmcp::reflection
