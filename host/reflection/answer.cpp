#include "reflection/answer.hpp"

#include <algorithm>
#include <set>

#include "base/near_names.hpp"
#include "base/pointer.hpp"
#include "base/schema.hpp"
#include "base/text.hpp"
#include "reflection/free_text.hpp"
#include "reflection/normal_form.hpp"

namespace gdalmcp::reflection {
namespace {

using base::fail;
using base::result;
namespace code = base::code;

// The canonical form: it is stored, and every other form is converted to it before checking.
constexpr const char* canonical_schema = R"({
  "type": "object", "additionalProperties": false, "required": ["intent", "choice", "confidence"],
  "title": "Justification",
  "description": "Why a methodological choice fits its purpose.",
  "properties": {
    "intent": {"type": "string", "description": "What the result is for and which property must survive"},
    "context": {"type": "string", "description": "What else a reader must know"},
    "alternatives": {"type": "array", "description": "What was considered and rejected; may be empty when chosen_by is user",
      "items": {"type": "object", "additionalProperties": false, "required": ["method", "why_not"], "properties": {
        "method": {"type": "string", "description": "The alternative"},
        "why_not": {"type": "string", "description": "Why it was rejected, in at least three words, with a number where there is one"}}}},
    "choice": {"type": "object", "additionalProperties": false, "required": ["method", "rationale"],
      "description": "What was chosen", "properties": {
        "method": {"type": "string", "description": "The choice; equal to the argument of the call"},
        "rationale": {"type": "string", "description": "Why it serves the intent, in at least three words"},
        "tradeoffs": {"type": "string", "description": "What is given up, and how much; may be left out when chosen_by is user"}}},
    "confidence": {"type": "string", "enum": ["low", "medium", "medium-high", "high"],
      "description": "How sure the chooser is"},
    "chosen_by": {"type": "string", "enum": ["user", "agent"], "description": "Who chose; agent when absent"},
    "facts": {"type": "object", "additionalProperties": {"type": "string"},
      "description": "Facts the question requests and the data does not show, e.g. the kind of values"},
    "conflicts": {"type": "array", "maxItems": 16, "description": "The conflicts of choice and data that are accepted",
      "items": {"type": "object", "additionalProperties": false, "required": ["name", "why_accepted"], "properties": {
        "name": {"type": "string", "description": "The conflict, as the refusal names it"},
        "why_accepted": {"type": "string", "description": "Why the choice is right all the same, in at least three words"}}}},
    "parents": {"type": "array", "maxItems": 16, "items": {"type": "string", "pattern": "^sha256:[0-9a-f]{64}$"},
      "description": "Cache keys of earlier reasons this one builds on"},
    "assumptions": {"type": "object", "additionalProperties": false, "description": "What the reason rests on",
      "properties": {
        "known": {"type": "array", "items": {"type": "string"}, "description": "Checked facts"},
        "uncertain": {"type": "array", "items": {"type": "string"}, "description": "Unchecked assumptions"},
        "dependencies": {"type": "array", "items": {"type": "string"}, "description": "Earlier choices this rests on"}}},
    "candidate_methods": {"type": "object", "additionalProperties": false, "description": "The candidate methods",
      "properties": {
        "considered": {"type": "array", "items": {"type": "string"}, "description": "Methods considered"}}},
    "epistemic_status": {"type": "object", "additionalProperties": false, "description": "What stays open",
      "properties": {
        "residual_uncertainty_sources": {"type": "array", "items": {"type": "string"}, "description": "Where it may be wrong"},
        "conditions_for_revisit": {"type": "array", "items": {"type": "string"},
          "description": "When to review this reason"}}}}})";

const base::schema& canonical() {
    static const auto s = base::schema::compile(base::parse_json(canonical_schema).value()).value();
    return s;
}

bool is_blank(std::string_view s) { return normal_text(s).empty(); }

// {"method", "reason"} -> {"method", "why_not"}
json::value as_alternative(json::value rejected) {
    if (auto* o = rejected.if_object(); o && o->contains("reason") && !o->contains("why_not")) {
        auto reason = o->at("reason");
        o->erase("reason");
        o->emplace("why_not", std::move(reason));
    }
    return rejected;
}

// The full capsule's own spellings (intent{description, context}, selected_method, candidate_methods.rejected,
// epistemic_status.confidence_level, domain) become the canonical members. Anything else is left to the schema.
void unfold_capsule(json::object& a) {
    if (auto* intent = a.contains("intent") ? a["intent"].if_object() : nullptr) {
        auto parts = std::move(*intent);
        if (const auto* context = parts.if_contains("context"); context && !context->is_null()) a["context"] = *context;
        const auto* description = parts.if_contains("description");
        a["intent"] = description ? *description : json::value("");
    }
    if (auto* selected = a.contains("selected_method") ? a["selected_method"].if_object() : nullptr;
        selected && !a.contains("choice")) {
        auto choice = std::move(*selected);
        if (const auto* found = choice.if_contains("name")) {
            auto name = *found;
            choice.erase("name");
            choice["method"] = std::move(name);
        }
        a.erase("selected_method");
        a["choice"] = std::move(choice);
    }
    if (auto* candidates = a.contains("candidate_methods") ? a["candidate_methods"].if_object() : nullptr) {
        if (auto* rejected = candidates->if_contains("rejected"); rejected && rejected->is_array()) {
            auto list = std::move(rejected->get_array());
            candidates->erase("rejected");
            if (candidates->empty()) a.erase("candidate_methods");
            if (!a.contains("alternatives")) a["alternatives"] = json::array{};
            if (auto* alternatives = a["alternatives"].if_array())
                for (auto& r : list) alternatives->push_back(as_alternative(std::move(r)));
        }
    }
    if (auto* status = a.contains("epistemic_status") ? a["epistemic_status"].if_object() : nullptr)
        if (const auto* level = status->if_contains("confidence_level"); level && !a.contains("confidence")) {
            const auto word = *level;
            status->erase("confidence_level");
            if (status->empty()) a.erase("epistemic_status");
            a["confidence"] = word;
        }
}

// "choice.rationale", "alternatives[0].method"
void find_blanks(const json::value& v, const std::string& name, const std::string& at,
                 std::vector<std::pair<std::string, std::string>>& found) {
    if (const auto* s = v.if_string()) {
        if (is_blank(*s)) found.emplace_back(name, at);
    } else if (const auto* o = v.if_object()) {
        for (const auto& m : *o)
            find_blanks(m.value(), (name.empty() ? "" : name + ".") + std::string{m.key()},
                        at + "/" + base::escape_token(m.key()), found);
    } else if (const auto* a = v.if_array()) {
        for (std::size_t i = 0; i < a->size(); ++i)
            find_blanks((*a)[i], name + "[" + std::to_string(i) + "]", at + "/" + std::to_string(i), found);
    }
}

result<void> refuse_blanks(const json::object& a, const std::string& place) {
    std::vector<std::pair<std::string, std::string>> blanks;
    find_blanks(a, "", place, blanks);
    if (blanks.empty()) return {};
    std::string names;
    for (const auto& [name, at] : blanks) names += (names.empty() ? "" : ", ") + name;
    if (names.size() > 600) names = base::scrub_utf8(names.substr(0, 600)) + ", …";
    return fail(code::invalid_justification, "empty in the justification: " + names,
                "fill each of them with a sentence that belongs to this call; leave out what does not apply",
                blanks.front().second);
}

// A text that says nothing: "ok", "n/a", "-".
void find_filler(const json::value* text, const std::string& name, const std::string& at,
                 std::vector<std::pair<std::string, std::string>>& found) {
    const auto* s = text ? text->if_string() : nullptr;
    if (s && !says_enough(*s)) found.emplace_back(name + " ('" + base::shortened(normal_text(*s), 40) + "')", at);
}

void find_filler_in(const json::object& a, const char* list, const char* member, const std::string& place,
                    std::vector<std::pair<std::string, std::string>>& found) {
    const auto* all = a.if_contains(list);
    for (std::size_t i = 0; all && all->is_array() && i < all->get_array().size(); ++i)
        find_filler(base::find_member(all->get_array()[i], member),
                    std::string{list} + "[" + std::to_string(i) + "]." + member,
                    place + "/" + list + "/" + std::to_string(i) + "/" + member, found);
}

// The texts that carry a reason. REQUIRES: the shape is checked.
result<void> refuse_filler(const json::object& a, const std::string& place) {
    std::vector<std::pair<std::string, std::string>> thin;
    for (const char* sentence : {"still_holds", "reason"})
        find_filler(a.if_contains(sentence), sentence, place + "/" + sentence, thin);
    if (const auto* choice = a.if_contains("choice"))
        find_filler(base::find_member(*choice, "rationale"), "choice.rationale", place + "/choice/rationale", thin);
    find_filler_in(a, "alternatives", "why_not", place, thin);
    find_filler_in(a, "conflicts", "why_accepted", place, thin);
    if (thin.empty()) return {};
    std::string names;
    for (const auto& [name, at] : thin) names += (names.empty() ? "" : ", ") + name;
    return fail(code::invalid_justification, "too short to be a reason: " + names,
                std::string{"write a sentence about this call: "} + enough_text, thin.front().second);
}

result<void> check_shape(const json::value& a, const std::string& place) {
    auto ok = canonical().check(a);
    if (ok) return {};
    auto p = ok.error();
    p.code = code::invalid_justification;
    p.message = "in the justification, " + p.message;
    p.at = place + p.at;
    return tl::unexpected{std::move(p)};
}

result<void> check_alternatives(const json::object& a, std::string_view chosen_by, const std::string& place) {
    const auto* alternatives = a.if_contains("alternatives");
    if (chosen_by != "user" && !a.at("choice").get_object().contains("tradeoffs"))
        return fail(code::invalid_justification,
                    "choice.tradeoffs is missing: an agent must name what its choice gives up",
                    "say what, and how much; if the user made this choice, set \"chosen_by\": \"user\"",
                    place + "/choice/tradeoffs");
    if (chosen_by == "user" || (alternatives && !alternatives->get_array().empty())) return {};
    return fail(
        code::invalid_justification, "alternatives is empty: an agent's choice needs at least one rejected alternative",
        "add {method, why_not}; if the user made this choice, set \"chosen_by\": \"user\"", place + "/alternatives");
}

result<void> check_methods(json::object& a, const answer_question& q, const std::string& place) {
    auto& method = a["choice"].get_object()["method"].get_string();
    const auto chosen = q.normalise(method);
    if (!chosen || (*chosen != q.choice && base::folded(*chosen) != base::folded(q.choice)))
        return fail(code::invalid_justification,
                    "choice.method is '" + std::string{method} + "', but the call's choice is '" + q.choice + "'",
                    "justify the choice the call makes, or change the call", place + "/choice/method");
    const auto* alternatives = a.if_contains("alternatives");
    if (!alternatives) a["alternatives"] = json::array{};
    const auto& list = a["alternatives"].get_array();
    for (std::size_t i = 0; i < list.size(); ++i) {
        const auto name = base::string_member(list[i], "method");
        const auto normal = q.normalise(name);
        const auto is_named = [&](const std::string& chosen) {
            return (normal && *normal == chosen) || base::folded(name) == base::folded(chosen);
        };
        if (is_named(q.choice) || std::any_of(q.members.begin(), q.members.end(), is_named))
            return fail(code::invalid_justification,
                        "alternatives[" + std::to_string(i) + "].method is '" + std::string{name} +
                            "', which is the choice itself",
                        "name something that was considered and rejected",
                        place + "/alternatives/" + std::to_string(i) + "/method");
    }
    method = q.choice;
    return {};
}

std::vector<std::string> words_of(std::string_view text) {
    std::vector<std::string> words;
    std::string word;
    for (const char c : base::lower_ascii(text) + " ") {
        const bool inside = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == ':' ||
                            static_cast<unsigned char>(c) >= 0x80;
        if (inside) word += c;
        if (!inside && !word.empty()) words.push_back(std::exchange(word, {}));
    }
    return words;
}

// Fewer than three words left once the method's own words and filler are taken away.
bool restates(std::string_view rationale, std::string_view method) {
    static const std::set<std::string, std::less<>> filler = {
        "a",         "an",    "the",    "as",     "is",       "it",      "was",       "were",     "for",
        "of",        "to",    "by",     "i",      "we",       "in",      "use",       "used",     "using",
        "choose",    "chose", "chosen", "select", "selected", "because", "this",      "that",     "user",
        "requested", "asked", "wants",  "wanted", "method",   "crs",     "parameter", "argument", "value"};
    const auto own = words_of(method);
    const auto words = words_of(rationale);
    return std::count_if(words.begin(), words.end(), [&](const std::string& w) {
               return !filler.count(w) && std::find(own.begin(), own.end(), w) == own.end();
           }) < 3;
}

bool denies_tradeoffs(std::string_view tradeoffs) {
    const auto words = words_of(tradeoffs);
    static const std::set<std::string, std::less<>> denials = {"none", "no", "nothing", "nil", "na", "n", "zero"};
    return words.size() <= 4 && !words.empty() && denials.count(words.front());
}

// A digit outside of identifiers such as EPSG:3857.
bool quotes_a_number(std::string_view text) {
    const auto words = words_of(text);
    return std::any_of(words.begin(), words.end(), [](const std::string& w) {
        return w.front() >= '0' && w.front() <= '9' && w.find(':') == std::string::npos;
    });
}

std::vector<std::string> lint(const json::object& a) {
    std::vector<std::string> warnings;
    const auto& choice = a.at("choice");
    const auto rationale = base::string_member(choice, "rationale"),
               tradeoffs = base::string_member(choice, "tradeoffs");
    if (restates(rationale, base::string_member(choice, "method")))
        warnings.push_back("choice.rationale restates the parameter; say which property it protects and for what");
    if (denies_tradeoffs(tradeoffs))
        warnings.push_back("choice.tradeoffs names none; name what the choice gives up, however little");
    std::string all{base::string_member(a, "intent")};
    for (const auto& alternative : a.at("alternatives").get_array())
        all += " " + std::string{base::string_member(alternative, "why_not")};
    all += " " + std::string{rationale} + " " + std::string{tradeoffs};
    if (base::string_member(a, "confidence") == "high" && !quotes_a_number(all))
        warnings.push_back("confidence is high, but no measured number is quoted");
    return warnings;
}

std::string words_to_choose(const asked_fact& a) {
    std::string out;
    for (const auto& word : a.one_of) out += (out.empty() ? "" : ", ") + word;
    return out;
}

// Each fact must be a requested one with one of its values; its spelling is normalised here.
result<void> check_facts(json::object& a, const answer_question& q, const std::string& place) {
    auto* given = a.if_contains("facts");
    if (!given) return {};
    for (auto&& f : given->get_object()) {
        const asked_fact* known = nullptr;
        for (const auto* list : {&q.asks, &q.known})
            for (const auto* ask : *list)
                if (ask->name == f.key()) known = ask;
        const auto at = place + "/facts/" + base::escape_token(f.key());
        if (!known)
            return fail(code::invalid_justification,
                        "facts." + std::string{f.key()} + " is not a fact that " + q.domain + " requests",
                        "leave it out", at);
        const std::string_view word{f.value().get_string()};
        const auto meant = std::find_if(known->one_of.begin(), known->one_of.end(),
                                        [&](const auto& w) { return base::folded(w) == base::folded(word); });
        if (meant == known->one_of.end())
            return fail(code::invalid_justification,
                        "facts." + known->name + " is '" + std::string{word.substr(0, 40)} +
                            "', which is not one of its values",
                        "one of " + words_to_choose(*known), at);
        f.value() = *meant;
    }
    return {};
}

json::array blank_conflicts(const std::vector<std::string>& names) {
    json::array all;
    for (const auto& name : names) all.push_back(json::object{{"name", name}, {"why_accepted", ""}});
    return all;
}

json::object conflicts_schema(const std::vector<std::string>& names) {
    auto schema = canonical().text().at("properties").at("conflicts").as_object();
    schema["minItems"] = names.size();
    schema.at("items").at("properties").at("name").as_object()["enum"] = json::array(names.begin(), names.end());
    return schema;
}

json::object blank_facts(const std::vector<const asked_fact*>& asks) {
    json::object o;
    for (const auto* ask : asks) o[ask->name] = "";
    return o;
}

json::object facts_schema(const std::vector<const asked_fact*>& asks) {
    json::object properties;
    json::array required;
    for (const auto* ask : asks) {
        properties[ask->name] = json::object{{"type", "string"},
                                             {"enum", json::array(ask->one_of.begin(), ask->one_of.end())},
                                             {"description", ask->about}};
        required.emplace_back(ask->name);
    }
    return {{"type", "object"},
            {"additionalProperties", false},
            {"required", std::move(required)},
            {"properties", std::move(properties)},
            {"description", "Facts the data does not show"}};
}

// Some clients send objects as text.
json::value as_object(const json::value& given) {
    if (given.is_string())
        if (auto text = base::parse_json(given.get_string())) return std::move(*text);
    return given;
}

// The limit applies to the canonical form, whatever form was given; `allowance` applies to parsing.
result<void> check_size(const json::value& v, const std::string& place, std::size_t allowance = 0) {
    const auto size = base::canonical_json(v).size();
    if (size <= max_answer + allowance) return {};
    return fail(code::invalid_justification,
                "the justification has " + std::to_string(size) + " bytes; the limit is " + std::to_string(max_answer),
                "keep what decides: intent, one or two alternatives, rationale, tradeoffs", place);
}

// {"needs_escalation": true, "justification": {…}}: unwraps the answer inside.
json::value unwrapped(json::value given) {
    auto* o = given.if_object();
    if (!o || !base::bool_member(given, "needs_escalation") || !o->contains("justification")) return given;
    return as_object(o->at("justification"));
}

// Members not in the canonical form: chosen_by belongs to the record, the domain to the question.
result<void> take_domain(json::object& a, const std::string& domain, const std::string& place) {
    const auto* named = a.if_contains("domain");
    if (!named) return {};
    if (!named->is_string() || (named->get_string() != domain && named->get_string() != domain + "_justification"))
        return fail(code::invalid_justification,
                    "domain is " + base::write_json(*named).substr(0, 80) + ", but the question is about " + domain, "",
                    place + "/domain");
    a.erase("domain");
    return {};
}

}  // namespace

result<answer> read_answer(const json::value& given, const answer_question& q, const std::string& place) {
    json::value parsed = unwrapped(as_object(given));
    if (auto ok = check_size(parsed, place, max_answer); !ok) return tl::unexpected{ok.error()};
    if (!parsed.is_object())
        return fail(code::invalid_justification,
                    "the justification is " + base::write_json(parsed).substr(0, 80) + "; it must be an object",
                    "send {intent, alternatives, choice, confidence}", place);
    auto& a = parsed.get_object();
    unfold_capsule(a);
    if (auto ok = take_domain(a, q.domain, place); !ok) return tl::unexpected{ok.error()};
    if (auto ok = refuse_blanks(a, place); !ok) return tl::unexpected{ok.error()};
    canonical().reify(parsed);
    if (auto ok = check_shape(parsed, place); !ok) return tl::unexpected{ok.error()};
    if (auto ok = refuse_filler(a, place); !ok) return tl::unexpected{ok.error()};
    answer out;
    out.chosen_by = q.chosen_by.empty() ? base::string_member(parsed, "chosen_by", "agent") : q.chosen_by;
    a.erase("chosen_by");
    if (auto ok = check_alternatives(a, out.chosen_by, place); !ok) return tl::unexpected{ok.error()};
    if (auto ok = check_methods(a, q, place); !ok) return tl::unexpected{ok.error()};
    if (auto ok = check_facts(a, q, place); !ok) return tl::unexpected{ok.error()};
    if (const auto* parents = a.if_contains("parents")) {
        for (const auto& p : parents->get_array()) out.parents.emplace_back(p.get_string());
        a.erase("parents");
    }
    if (auto ok = check_size(parsed, place); !ok) return tl::unexpected{ok.error()};
    out.warnings = lint(a);
    for (const auto* ask : q.asks)
        if (const auto* facts = a.if_contains("facts"); !facts || !facts->get_object().contains(ask->name))
            out.warnings.push_back("facts." + ask->name + " is missing, and the data does not show it: " + ask->about);
    out.text = std::move(a);
    return out;
}

result<void> check_stored_answer(const json::value& text, std::string_view chosen_by) {
    if (!text.is_object()) return fail(code::invalid_justification, "its justification is not an object");
    if (base::canonical_json(text).size() > max_answer)
        return fail(code::invalid_justification, "its justification is too long");
    const auto& a = text.get_object();
    if (auto ok = refuse_blanks(a, ""); !ok) return ok;
    if (auto ok = check_shape(text, ""); !ok) return ok;
    return check_alternatives(a, chosen_by, "");
}

answer_form form_of(const json::value& given) {
    const auto v = as_object(given);
    const auto* waived = base::find_member(v, "needs_escalation");
    if (waived && waived->is_bool() && !waived->get_bool()) return answer_form::waiver;
    return base::find_member(v, "still_holds") ? answer_form::still_holds : answer_form::reason;
}

std::string method_of_answer(const json::value& given) {
    auto v = unwrapped(as_object(given));
    if (!v.is_object()) return {};
    unfold_capsule(v.get_object());
    const auto* choice = base::find_member(v, "choice");
    return choice ? std::string{base::string_member(*choice, "method")} : std::string{};
}

result<confirmation> read_confirmation(const json::value& given, const answer_question& q, const std::string& place) {
    static const auto shape = base::schema::compile(base::parse_json(R"({
        "type": "object", "additionalProperties": false, "required": ["still_holds"], "properties": {
          "still_holds": {"type": "string"}, "chosen_by": {"type": "string", "enum": ["user", "agent"]},
          "facts": {"type": "object", "additionalProperties": {"type": "string"}},
          "conflicts": {"type": "array", "maxItems": 16, "items": {
            "type": "object", "additionalProperties": false, "required": ["name", "why_accepted"],
            "properties": {"name": {"type": "string"}, "why_accepted": {"type": "string"}}}}}})")
                                                        .value())
                                  .value();
    auto v = as_object(given);
    if (auto ok = check_size(v, place); !ok) return tl::unexpected{ok.error()};
    if (v.is_object())
        if (auto ok = refuse_blanks(v.get_object(), place); !ok) return tl::unexpected{ok.error()};
    shape.reify(v);
    if (auto ok = shape.check(v, "the answer"); !ok) {
        auto p = ok.error();
        p.code = code::invalid_justification;
        p.at = place + p.at;
        return tl::unexpected{std::move(p)};
    }
    if (auto ok = refuse_filler(v.get_object(), place); !ok) return tl::unexpected{ok.error()};
    if (auto ok = check_facts(v.get_object(), q, place); !ok) return tl::unexpected{ok.error()};
    confirmation c{normal_text(base::string_member(v, "still_holds")),
                   std::string{base::string_member(v, "chosen_by", "agent")},
                   {},
                   {}};
    if (!q.chosen_by.empty()) c.chosen_by = q.chosen_by;
    if (const auto* facts = base::find_member(v, "facts")) c.facts = facts->get_object();
    if (const auto* conflicts = base::find_member(v, "conflicts")) c.conflicts = conflicts->get_array();
    return c;
}

result<std::string> read_waiver(const json::value& given, const std::string& place) {
    const auto v = as_object(given);
    if (auto ok = check_size(v, place); !ok) return tl::unexpected{ok.error()};
    const auto* said = base::find_member(v, "reason");
    auto reason = said && said->is_string() ? normal_text(said->get_string()) : std::string{};
    if (reason.empty())
        return fail(code::invalid_justification, "empty in the justification: reason",
                    "say why nothing is at stake in this call, or answer the question", place + "/reason");
    if (auto ok = refuse_filler({{"reason", reason}}, place); !ok) return tl::unexpected{ok.error()};
    return reason;
}

bool names_conflict(const json::array& conflicts, std::string_view name) {
    return std::any_of(conflicts.begin(), conflicts.end(),
                       [&](const json::value& c) { return base::string_member(c, "name") == name; });
}

json::object answer_schema(std::string_view choice, const std::vector<const asked_fact*>& asks,
                           const std::vector<std::string>& conflicts) {
    auto schema = canonical().text().as_object();
    const auto all = std::move(schema["properties"].as_object());
    json::object properties;
    for (const char* name : {"intent", "alternatives", "choice", "confidence", "chosen_by"})
        properties.emplace(name, all.at(name));
    properties["choice"].as_object()["properties"].as_object()["method"].as_object()["const"] = choice;
    properties["choice"].as_object()["required"] = json::array{"method", "rationale", "tradeoffs"};
    schema["properties"] = std::move(properties);
    schema["required"] = json::array{"intent", "alternatives", "choice", "confidence"};
    if (!asks.empty()) {
        schema["properties"].as_object()["facts"] = facts_schema(asks);
        schema["required"].as_array().emplace_back("facts");
    }
    if (!conflicts.empty()) {
        schema["properties"].as_object()["conflicts"] = conflicts_schema(conflicts);
        schema["required"].as_array().emplace_back("conflicts");
    }
    return schema;
}

json::object confirmation_schema(const std::vector<const asked_fact*>& asks,
                                 const std::vector<std::string>& conflicts) {
    json::object properties{
        {"still_holds",
         json::object{{"type", "string"},
                      {"description", "Why the earlier reason holds for this call, too, in at least three words"}}},
        {"chosen_by", json::object{{"type", "string"}, {"enum", json::array{"user", "agent"}}}}};
    json::array required{"still_holds"};
    if (!asks.empty()) {
        properties["facts"] = facts_schema(asks);
        required.emplace_back("facts");
    }
    if (!conflicts.empty()) {
        properties["conflicts"] = conflicts_schema(conflicts);
        required.emplace_back("conflicts");
    }
    return {{"type", "object"},
            {"additionalProperties", false},
            {"required", std::move(required)},
            {"properties", std::move(properties)}};
}

// Of a part: what it requires is what the skeleton holds.
static json::object without_remarks_and_demands(json::object schema) {
    schema = without_remarks(std::move(schema));
    schema.erase("required");
    if (schema.contains("properties") || schema.contains("items")) schema.erase("type");
    return schema;
}

json::object without_remarks(json::object schema) {
    for (const char* remark : {"title", "description", "additionalProperties", "minItems", "maxItems"})
        schema.erase(remark);
    if (schema.contains("enum") || schema.contains("const")) schema.erase("type");
    if (auto* items = schema.if_contains("items")) *items = without_remarks_and_demands(items->get_object());
    if (auto* properties = schema.if_contains("properties"))
        for (auto& p : properties->get_object()) p.value() = without_remarks_and_demands(p.value().get_object());
    return schema;
}

const json::value& justification_schema() { return canonical().text(); }

json::object answer_skeleton(std::string_view choice, const std::vector<const asked_fact*>& asks,
                             const std::vector<std::string>& conflicts) {
    json::object o{{"intent", ""},
                   {"alternatives", json::array{json::object{{"method", ""}, {"why_not", ""}}}},
                   {"choice", json::object{{"method", choice}, {"rationale", ""}, {"tradeoffs", ""}}},
                   {"confidence", ""}};
    if (!asks.empty()) o["facts"] = blank_facts(asks);
    if (!conflicts.empty()) o["conflicts"] = blank_conflicts(conflicts);
    return o;
}

json::object confirmation_skeleton(const std::vector<const asked_fact*>& asks,
                                   const std::vector<std::string>& conflicts) {
    json::object o{{"still_holds", ""}};
    if (!asks.empty()) o["facts"] = blank_facts(asks);
    if (!conflicts.empty()) o["conflicts"] = blank_conflicts(conflicts);
    return o;
}

}  // namespace gdalmcp::reflection
