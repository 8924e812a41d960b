// Answers sent alone, by store_justification.
#include <algorithm>

#include "base/near_names.hpp"
#include "base/pointer.hpp"
#include "base/schema.hpp"
#include "reflection/judge.hpp"

namespace gdalmcp::reflection {
namespace {

using base::fail;
using base::result;
namespace code = base::code;

constexpr std::size_t max_scope = 2048;  // bytes of a situation sent with an answer

constexpr const char* submission_schema = R"({
  "type": "object", "additionalProperties": false, "required": ["domain", "prompt_args", "justification"],
  "properties": {
    "domain": {"type": "string"}, "prompt_args": {"type": "object"},
    "justification": {"anyOf": [{"type": "object"}, {"type": "string"}]},
    "scope": {"type": "object"},
    "tool_name": {"type": "string", "maxLength": 64}, "prompt_name": {"type": "string"},
    "chosen_by": {"type": "string", "enum": ["user", "agent"]},
    "parents": {"type": "array", "maxItems": 16, "items": {"type": "string", "pattern": "^sha256:[0-9a-f]{64}$"}}}})";

// A situation sent with an answer: only facts of the spec's scope, as shown by the question.
result<void> check_scope(const spec& s, const json::object& scope) {
    if (base::canonical_json(scope).size() > max_scope)
        return fail(code::invalid_argument, "scope has more than " + std::to_string(max_scope) + " bytes",
                    "send it as the refused call's submit holds it, or leave it out", "/scope");
    for (const auto& m : scope) {
        const bool known =
            m.key() == "conflicts" || m.key() == "counts" || m.key() == "input" ||
            std::any_of(s.scope.begin(), s.scope.end(), [&](const scope_entry& e) { return e.name == m.key(); });
        if (!known)
            return fail(code::invalid_argument,
                        "'" + std::string{m.key()} + "' is not a fact in the scope of " + s.domain,
                        "send scope as the refused call's submit holds it, or leave it out",
                        "/scope/" + base::escape_token(m.key()));
    }
    return {};
}

// The first of the refused call's conflicts, as its scope names them, that `named` does not name; empty: none.
std::string unnamed_in(const json::object& scope, const json::array& named) {
    const auto* shown = scope.if_contains("conflicts");
    for (const auto& name : shown && shown->is_array() ? shown->get_array() : json::array{})
        if (name.is_string())
            if (const auto check = check_of(name.get_string()); !names_conflict(named, check)) return check;
    return {};
}

result<void> check_names_conflicts(const json::object& scope, const json::array& named) {
    if (const auto name = unnamed_in(scope, named); !name.empty())
        return fail(code::invalid_justification, "conflicts does not name '" + name + "', which scope names",
                    "say why the choice is right all the same: {name, why_accepted}", "/justification/conflicts");
    return {};
}

// Of the facts a spec asks for, those that neither the scope of a submission nor, as far as it says, the data show.
std::vector<const asked_fact*> unstated(const spec& s, const json::object& scope) {
    std::vector<const asked_fact*> out;
    for (const auto& ask : s.asks) {
        const auto known = base::string_member(scope, ask.name);
        if (known == unknown_fact || (known.empty() && !ask.of_dataset)) out.push_back(&ask);
    }
    return out;
}

}  // namespace

result<gate::submission> gate::submitted(const ruling& r, const json::value& given, const answer_question& question,
                                         record_origin from) const {
    const std::string place = "/justification";
    // Facts stated for lack of data belong to the situation, as if the call itself had carried the answer. What the
    // scope knows can be corrected with the call alone, which tells what the data show from what an answer said of
    // them.
    const auto take_facts = [&](const json::object& stated) -> result<void> {
        for (const auto& e : r.question->scope) {
            const auto word = base::string_member(stated, e.name);
            const std::string known{base::string_member(from.situation, e.name, unknown_fact)};
            if (word.empty() || word == known) continue;
            if (known != unknown_fact)
                return fail(code::invalid_justification,
                            "facts." + e.name + " = " + std::string{word} + ", but scope says " + known,
                            "leave it out, or correct it by sending the call with this answer (`retry`)",
                            place + "/facts/" + e.name);
            from.situation[e.name] = json::string(word);
        }
        return {};
    };
    // If the policy requires a person's review, an agent can neither confirm nor replace the stored reason.
    const auto may_speak = [&](const std::string& chosen_by) -> result<void> {
        const auto p = policy_of(*r.question);
        const bool a_persons = p.revisit == reaction::person || p.stale == reaction::person;
        if (!a_persons || chosen_by == "user" ||
            store_->find_question(r.question->domain, question_hash(r.question->domain, r.key_arguments))
                .records.empty())
            return {};
        return fail(code::policy, "a reason for this choice is stored, and the policy requires a person to review it",
                    "ask the user, and send what they said with chosen_by: user", place);
    };
    if (form_of(given) == answer_form::waiver)
        return fail(code::invalid_justification, "\"needs_escalation\": false is about one call, and is not stored",
                    "send it in that call's justification, or give a reason", place + "/needs_escalation");
    if (form_of(given) == answer_form::still_holds) {
        const auto word = read_confirmation(given, question, place);
        if (!word) return tl::unexpected{word.error()};
        if (auto ok = may_speak(word->chosen_by); !ok) return tl::unexpected{ok.error()};
        const auto hash = cache_key(r.question->domain, r.question->question_prompt.hash, r.key_arguments);
        const auto earlier = store_->find(r.question->domain, hash);
        if (earlier.records.empty())
            return fail(code::invalid_justification, "still_holds confirms an earlier reason, and there is none",
                        "give the reason itself: intent, alternatives, choice, confidence", place + "/still_holds");
        const auto& reason = *earlier.records.front();
        if (!reason.found_in.empty())
            return fail(code::invalid_justification, "the reason belongs to the library " + reason.found_in,
                        "give a whole reason of your own: intent, alternatives, choice, confidence",
                        place + "/still_holds");
        if (from.situation.empty() && !r.question->scope.empty())
            return fail(code::invalid_argument, "still_holds is given without the scope it applies to",
                        "send scope as the refused call's submit holds it", "/scope");
        if (const auto name = unnamed_in(from.situation, conflicts_of_answer(reason.answer())); !name.empty())
            return fail(code::invalid_justification,
                        "one sentence is not enough: the earlier reason does not answer " + name,
                        "give the whole reason: intent, alternatives, choice, confidence", place + "/still_holds");
        if (auto ok = check_names_conflicts(from.situation, word->conflicts); !ok) return tl::unexpected{ok.error()};
        if (auto ok = take_facts(word->facts); !ok) return tl::unexpected{ok.error()};
        const auto known = reason.situations();
        const auto changed =
            known.empty() ? std::vector<std::string>{} : differences(r.question->scope, known.back(), from.situation);
        return submission{{confirmed(reason, *word, changed, std::move(from.situation), now_())}, {}};
    }
    const auto a = read_answer(given, question, place);
    if (!a) return tl::unexpected{a.error()};
    if (auto ok = may_speak(a->chosen_by); !ok) return tl::unexpected{ok.error()};
    if (auto ok = check_names_conflicts(from.situation, conflicts_of_answer(a->text)); !ok)
        return tl::unexpected{ok.error()};
    if (const auto* facts = a->text.if_contains("facts"))
        if (auto ok = take_facts(facts->get_object()); !ok) return tl::unexpected{ok.error()};
    from.parents.insert(from.parents.end(), a->parents.begin(), a->parents.end());
    return submission{records_of(*r.question, r.key_arguments, *a, from), a->warnings};
}

result<json::object> gate::store_justification(const json::value& arguments, const crs_lookup& crs) const {
    static const auto shape = base::schema::constant(submission_schema);
    if (auto ok = shape.check(arguments); !ok) return tl::unexpected{ok.error()};
    const std::string domain{base::string_member(arguments, "domain")};
    const auto* s = specs_->find(domain);
    if (!s) {
        std::vector<std::string> names;
        for (const auto& known : specs_->all()) names.push_back(known.domain);
        return fail(code::invalid_argument, "there is no domain '" + domain.substr(0, 80) + "'",
                    "domains: " + base::joined(names), "/domain");
    }
    if (const auto name = base::string_member(arguments, "prompt_name", s->question_prompt.name);
        name != s->question_prompt.name)
        return fail(code::invalid_argument,
                    domain + " is asked with '" + s->question_prompt.name + "', not '" + std::string{name} + "'",
                    "leave prompt_name out", "/prompt_name");
    const argument_reader reader{schemas_, std::string{base::string_member(arguments, "tool_name")}};
    auto key = key_of_prompt_args(*s, arguments.at("prompt_args"), crs, reader);
    if (!key) return tl::unexpected{key.error()};
    json::object scope;
    if (const auto* given = base::find_member(arguments, "scope")) scope = given->get_object();
    if (auto ok = check_scope(*s, scope); !ok) return tl::unexpected{ok.error()};
    ruling r;
    r.question = s;
    r.key_arguments = std::move(*key);
    r.asks = unstated(*s, scope);
    auto question = question_of(r, crs, reader);
    question.chosen_by = base::string_member(arguments, "chosen_by");
    record_origin from{std::string{base::string_member(arguments, "tool_name")}, {}, now_(), std::move(scope)};
    if (const auto* parents = base::find_member(arguments, "parents"))
        for (const auto& p : parents->get_array()) from.parents.emplace_back(p.get_string());
    auto stored = submitted(r, arguments.at("justification"), question, std::move(from));
    if (!stored) return tl::unexpected{stored.error()};
    for (const auto& r : stored->kept)
        if (auto ok = keep(r); !ok) return tl::unexpected{ok.error()};
    return json::object{{"status", "stored"},
                        {"domain", domain},
                        {"cache_key", stored->kept.front().cache_key},
                        {"warnings", json::array(stored->warnings.begin(), stored->warnings.end())}};
}

}  // namespace gdalmcp::reflection
