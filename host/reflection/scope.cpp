#include "reflection/scope.hpp"

#include <algorithm>
#include <cmath>

#include "base/pointer.hpp"
#include "base/schema.hpp"
#include "reflection/condition.hpp"
#include "reflection/digits.hpp"
#include "reflection/long_text.hpp"

namespace gdalmcp::reflection {
namespace {

using base::fail;
using base::result;
namespace code = base::code;
using comparison = scope_entry::comparison;

constexpr const char* entry_schema = R"({
  "type": "object", "additionalProperties": false, "properties": {
    "fact": {"type": "string", "pattern": "^/"},
    "or_fact": {"type": "string", "pattern": "^/"},
    "same": {"type": "boolean", "enum": [true]},
    "alike": {"type": "array", "items": {"type": "array", "minItems": 2, "items": {"type": "string"}}},
    "grow": {"type": "number", "minimum": 0},
    "factor": {"type": "number", "minimum": 1},
    "within": {"type": "number", "minimum": 0},
    "argument": {"type": "string", "pattern": "^/"},
    "absent": {"type": "string", "minLength": 1},
    "for": {"type": "array", "minItems": 1, "items": {"type": "string"}},
    "at_least": {"type": "number", "exclusiveMinimum": 0, "maximum": 1},
    "at_most": {"type": "number", "minimum": 1},
    "unless_below": {"type": "number", "minimum": 0},
    "else": {"type": "string", "enum": ["block"]}}})";

constexpr const char* asked_schema = R"({
  "type": "object", "additionalProperties": false, "required": ["one_of", "about"], "properties": {
    "one_of": {"type": "array", "minItems": 2, "items": {"type": "string", "minLength": 1, "maxLength": 40}},
    "about": {"type": "string", "minLength": 1, "maxLength": 120},
    "known_by": {"type": "string", "pattern": "^/"},
    "keep": {"type": "string", "enum": ["reason", "dataset"]}}})";

const json::value* fact_at(const json::value& facts, const std::string& at) {
    const auto* v = at.empty() ? nullptr : base::at_pointer(facts, at);
    return is_absent(v) ? nullptr : v;
}

bool is_unknown(const json::value& v) { return v.is_string() && v.get_string() == unknown_fact; }

bool is_box(const json::value& v) {
    const auto* a = v.if_array();
    return a && a->size() == 4 && std::all_of(a->begin(), a->end(), [](const json::value& n) { return n.is_number(); });
}

bool box_holds(const json::value& stored, const json::value& now, double grow) {
    if (!is_box(stored) || !is_box(now)) return true;
    const auto at = [](const json::value& box, std::size_t i) { return box.get_array()[i].to_number<double>(); };
    for (const std::size_t axis : {std::size_t{0}, std::size_t{1}}) {
        const double low = at(stored, axis), high = at(stored, axis + 2);
        // A reason for a single point holds for its neighbourhood, too: a hundredth of a degree, about a kilometre.
        const double more = std::max(grow * std::abs(high - low), grow > 0 ? 0.01 : 1e-9);
        if (at(now, axis) < low - more || at(now, axis + 2) > high + more) return false;
    }
    return true;
}

bool is_among(const json::array& words, const json::value& v) {
    return std::find(words.begin(), words.end(), v) != words.end();
}

bool holds_for(const scope_entry& e, const json::value& stored, const json::value& now) {
    if (e.how == comparison::same)
        return base::canonical_json(stored) == base::canonical_json(now) ||
               std::any_of(e.alike.begin(), e.alike.end(),
                           [&](const json::array& one) { return is_among(one, stored) && is_among(one, now); });
    if (e.how == comparison::grow) return box_holds(stored, now, e.amount);
    if (!stored.is_number() || !now.is_number()) return true;
    const double was = stored.to_number<double>(), is = now.to_number<double>();
    if (e.how == comparison::within) return std::abs(is - was) <= e.amount;
    if (e.how == comparison::at_least) return is >= e.amount * was;
    if (e.how == comparison::at_most) return is <= e.amount * was || is <= e.unless_below;
    return was <= 0 || is <= 0 || std::max(is / was, was / is) <= e.amount;
}

std::string value_text(const json::value& v) {
    if (v.is_string()) return std::string{v.get_string()};
    const auto number = [](const json::value& n) {
        return n.is_double() ? base::format_number(std::round(n.get_double() * 1e4) / 1e4) : base::write_json(n);
    };
    if (!is_box(v)) return v.is_number() ? number(v) : base::write_json(v);
    std::string out;
    for (const auto& n : v.get_array()) out += (out.empty() ? "[" : ", ") + number(n);
    return out + "]";
}

// While the kind of values is unknown, whether they may be codes. An answer that states the kind was given while it
// was.
constexpr std::string_view doubt_of_kind = "/input/may_be_codes";

bool knows_kind(const std::vector<scope_entry>& scope, const json::object& situation) {
    return std::any_of(scope.begin(), scope.end(), [&](const scope_entry& e) {
        const auto* kind = e.fact == "/input/kind" ? situation.if_contains(e.name) : nullptr;
        return kind && !is_unknown(*kind);
    });
}

std::string readable(std::string name) {
    std::replace(name.begin(), name.end(), '_', ' ');
    return name;
}

}  // namespace

result<scope_entry> parse_scope_entry(const std::string& name, const json::value& text) {
    static const auto shape = base::schema::constant(entry_schema);
    static constexpr std::pair<const char*, comparison> words[] = {{"grow", comparison::grow},
                                                                   {"factor", comparison::factor},
                                                                   {"within", comparison::within},
                                                                   {"at_least", comparison::at_least},
                                                                   {"at_most", comparison::at_most}};
    if (auto ok = shape.check(text, "the entry"); !ok)
        return fail(code::invalid_argument, "/scope/" + name + ": " + ok.error().message, ok.error().hint);
    scope_entry e;
    e.name = name;
    e.fact = base::string_member(text, "fact");
    e.or_fact = base::string_member(text, "or_fact");
    e.argument = base::string_member(text, "argument");
    e.absent = base::string_member(text, "absent");
    if (const auto* only = base::find_member(text, "for"))
        for (const auto& tool : only->get_array()) e.only.emplace_back(tool.get_string());
    if (const auto* words = base::find_member(text, "alike"))
        for (const auto& one : words->get_array()) e.alike.push_back(one.get_array());
    if (const auto* small = base::find_member(text, "unless_below")) e.unless_below = small->to_number<double>();
    e.blocks = base::find_member(text, "else") != nullptr;
    int said = base::find_member(text, "same") ? 1 : 0;
    for (const auto& [word, how] : words)
        if (const auto* amount = base::find_member(text, word)) {
            ++said;
            e.how = how;
            e.amount = amount->to_number<double>();
        }
    if (said != 1)
        return fail(code::invalid_argument,
                    "/scope/" + name + " needs exactly one of same, grow, factor, within, at_least, at_most");
    return e;
}

result<asked_fact> parse_asked_fact(const std::string& name, const json::value& text) {
    static const auto shape = base::schema::constant(asked_schema);
    if (auto ok = shape.check(text, "the entry"); !ok)
        return fail(code::invalid_argument, "/asks/" + name + ": " + ok.error().message, ok.error().hint);
    asked_fact a;
    a.name = name;
    a.about = base::string_member(text, "about");
    a.known_by = base::string_member(text, "known_by");
    a.of_dataset = base::string_member(text, "keep") == "dataset";
    for (const auto& word : base::find_member(text, "one_of")->get_array()) a.one_of.emplace_back(word.get_string());
    return a;
}

std::vector<const asked_fact*> still_asked(const std::vector<asked_fact>& asks, const json::value* facts) {
    std::vector<const asked_fact*> out;
    for (const auto& a : asks) {
        const auto* known = facts ? fact_at(*facts, a.known_by) : nullptr;
        if (known && !is_unknown(*known)) continue;
        if (a.of_dataset && !known) continue;
        out.push_back(&a);
    }
    return out;
}

bool is_statement(const asked_fact& ask, const json::value& facts) {
    const auto* why = ask.of_dataset ? fact_at(facts, ask.known_by + "_why") : nullptr;
    return why && why->is_string() && why->get_string() == stated_why;
}

json::object situation_of(const std::vector<scope_entry>& scope, const json::value& facts, std::string_view tool,
                          const json::value& arguments, const json::object& stated) {
    json::object out;
    for (const auto& e : scope) {
        if (!e.only.empty() && std::find(e.only.begin(), e.only.end(), tool) == e.only.end()) continue;
        const auto* v = fact_at(facts, e.fact);
        if (!v) v = fact_at(facts, e.or_fact);
        const json::value absent(e.absent);
        if (!e.argument.empty()) v = fact_at(arguments, e.argument);
        if (!v && !e.absent.empty()) v = &absent;
        const auto* said = stated.if_contains(e.name);
        if (said && (!v || is_unknown(*v))) v = said;
        if (!v) continue;
        auto rounded = *v;
        if (!e.argument.empty() && v->is_string()) rounded = in_short(v->get_string());  // its digest tells two apart
        round_numbers(rounded, 9);
        out.emplace(e.name, std::move(rounded));
    }
    return out;
}

std::vector<std::string> differences(const std::vector<scope_entry>& scope, const json::object& stored,
                                     const json::object& now) {
    const bool kinds_known = knows_kind(scope, stored) && knows_kind(scope, now);
    std::vector<std::string> out;
    for (const auto& e : scope) {
        if (kinds_known && e.fact == doubt_of_kind) continue;
        const auto *was = stored.if_contains(e.name), *is = now.if_contains(e.name);
        if (!was || !is || is_unknown(*was) || holds_for(e, *was, *is)) continue;
        out.push_back(readable(e.name) + " is " + value_text(*is) + ", the reason was given for " + value_text(*was));
    }
    return out;
}

}  // namespace gdalmcp::reflection
