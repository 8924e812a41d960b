#include "reflection/answer.hpp"

#include <algorithm>

#include "base/near_names.hpp"
#include "base/pointer.hpp"
#include "base/schema.hpp"
#include "base/text.hpp"
#include "reflection/answer_parts.hpp"
#include "reflection/normal_form.hpp"

namespace gdalmcp::reflection {
namespace {

using base::fail;
using base::result;
namespace code = base::code;

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

// What an element of a list in an answer must be; "": the place is none.
std::string element_shape(std::string_view at) {
    for (const auto& [list, shape] : {std::pair{"/alternatives", R"({"method": "…", "why_not": "…"})"},
                                      {"/conflicts", R"({"name": "…", "why_accepted": "…"})"}})
        if (at.starts_with(list)) return std::string{"give each as "} + shape;
    return {};
}

result<void> check_shape(const json::value& a, const std::string& place) {
    constexpr const char* whole = "the justification";
    auto ok = canonical_answer().check(a, whole);
    if (ok) return {};
    auto p = ok.error();
    p.code = code::invalid_justification;
    if (!p.message.starts_with(whole)) p.message = std::string{"in "} + whole + ", " + p.message;
    if (auto shape = element_shape(p.at); !shape.empty()) p.hint = std::move(shape);
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
    canonical_answer().reify(parsed);
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
        if (auto shape = element_shape(p.at); !shape.empty()) p.hint = std::move(shape);
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

bool names_all(const json::array& conflicts, const std::vector<std::string>& names) {
    return std::all_of(names.begin(), names.end(),
                       [&](const std::string& name) { return names_conflict(conflicts, name); });
}

json::array conflicts_of_answer(const json::object& answer) {
    const auto* conflicts = answer.if_contains("conflicts");
    return conflicts ? conflicts->get_array() : json::array{};
}

}  // namespace gdalmcp::reflection
