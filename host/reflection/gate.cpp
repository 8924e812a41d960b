#include "reflection/gate.hpp"

#include <algorithm>
#include <array>

#include "base/pointer.hpp"
#include "base/schema.hpp"
#include "reflection/bounce.hpp"
#include "reflection/judge.hpp"
#include "reflection/timestamp.hpp"

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

// The facts, requested at most once.
facts_lookup once(const facts_lookup& ask) {
    return [&ask, known = std::make_shared<std::optional<result<json::value>>>()]() -> result<json::value> {
        if (!*known) *known = ask ? ask() : fail(code::internal, "facts about the inputs are not available");
        return **known;
    };
}

json::value or_null(const std::string& s) { return s.empty() ? json::value{} : json::value(s); }

// Facts the reason states for this call, such as what its result is for.
json::object stated_by(const ruling& r) {
    json::object stated;
    const auto* facts = r.reason ? r.reason->answer().if_contains("facts") : nullptr;
    for (const auto& ask : r.question->asks) {
        const auto here = base::string_member(r.situation, ask.name);
        const auto there = facts ? base::string_member(*facts, ask.name) : std::string_view{};
        if (!here.empty() && here != unknown_fact)
            stated[ask.name] = here;
        else if (!there.empty())
            stated[ask.name] = there;
    }
    return r.reason ? stated : json::object{};
}

json::object receipt_of(const ruling& r) {
    json::array notes(r.notes.begin(), r.notes.end());
    if (!r.remembered.empty()) notes.emplace_back(r.remembered);
    for (const auto& f : r.findings)
        if (!r.blocks()) notes.emplace_back(f.text);
    json::object o{{"domain", r.question->domain},
                   {"risk_class", r.question->risk},
                   {"input_hash", or_null(r.input_hash)},
                   {"decision", to_string(r.outcome)},
                   {"justification_ref", or_null(r.justification_ref())}};
    if (r.reason && !r.reason->text.at("parents").get_array().empty()) o["parents"] = r.reason->text.at("parents");
    if (r.outcome == decision::immaterial) o["spread"] = r.spread;
    if (auto stated = stated_by(r); !stated.empty()) o["stated"] = std::move(stated);
    o["notes"] = std::move(notes);
    return o;
}

std::string listed(const std::vector<std::string>& words) {
    std::string out;
    for (const auto& w : words) out += (out.empty() ? "" : ", ") + w;
    return out;
}

// A situation sent with an answer: only facts of the spec's scope, as shown by the question.
result<void> check_scope(const spec& s, const json::object& scope) {
    if (base::canonical_json(scope).size() > max_scope)
        return fail(code::invalid_argument, "scope has more than " + std::to_string(max_scope) + " bytes",
                    "send it as the refused call's submit holds it, or leave it out", "/scope");
    for (const auto& m : scope) {
        const bool known =
            m.key() == "conflicts" || m.key() == "input" ||
            std::any_of(s.scope.begin(), s.scope.end(), [&](const scope_entry& e) { return e.name == m.key(); });
        if (!known)
            return fail(code::invalid_argument,
                        "'" + std::string{m.key()} + "' is not a fact in the scope of " + s.domain,
                        "send scope as the refused call's submit holds it, or leave it out",
                        "/scope/" + base::escape_token(m.key()));
    }
    return {};
}

// A conflict that is not named may not have been seen: the answer may have come with the first call.
bool names_all(const json::array& named, const std::vector<std::string>& conflicts) {
    return std::all_of(conflicts.begin(), conflicts.end(),
                       [&](const std::string& name) { return names_conflict(named, name); });
}

bool is_refused(const ruling& r) {
    return std::any_of(r.findings.begin(), r.findings.end(),
                       [](const finding& f) { return f.outcome == check_outcome::refuse; });
}

// The finding stays in the ruling, and the refusal shows it.
tl::unexpected<base::problem> forbidden() { return fail(code::policy, "the policy refuses the choice"); }

// The conflict stays in the ruling, and the refusal shows it.
tl::unexpected<base::problem> unnamed_conflict(ruling& r, const json::array& named) {
    for (const auto& name : r.conflicts())
        if (!names_conflict(named, name)) r.unnamed += (r.unnamed.empty() ? "" : ", ") + name;
    return fail(code::needs_justification, "the answer does not name every conflict between choice and data");
}

// The ruling on a call whose answer does not name a conflict.
ruling bounced(ruling r) {
    r.outcome = decision::block;
    for (const auto& f : r.findings)
        if (r.reason && f.outcome == check_outcome::ask &&
            std::find(r.changed.begin(), r.changed.end(), f.text) == r.changed.end())
            r.changed.push_back(f.text);
    return r;
}

// Of an answer in canonical form.
json::array conflicts_of_answer(const json::object& answer) {
    const auto* conflicts = answer.if_contains("conflicts");
    return conflicts ? conflicts->get_array() : json::array{};
}

// The first of the refused call's conflicts, as its scope names them, that `named` does not name; empty: none.
std::string unnamed_in(const json::object& scope, const json::array& named) {
    const auto* shown = scope.if_contains("conflicts");
    for (const auto& name : shown && shown->is_array() ? shown->get_array() : json::array{})
        if (name.is_string() && !names_conflict(named, name.get_string())) return std::string{name.get_string()};
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

base::problem refused_by_policy(const call& c, const ruling& r, const finding& f) {
    return {code::policy, c.tool + " was not run: " + f.text,
            (f.advice.empty() ? "" : f.advice + "; ") + "the policy of " + r.question->domain + " refuses it (check " +
                f.check + "), whatever the reason",
            ""};
}

void apply_refusals(verdict& v, const call& c) {
    for (auto& r : v.rulings)
        for (const auto& f : r.findings) {
            if (f.outcome != check_outcome::refuse) continue;
            r.outcome = decision::block;
            r.refused = true;
            r.notes.push_back("refused by the policy (check " + f.check + "): " + f.text);
            if (!v.refused) v.refused = refused_by_policy(c, r, f);
        }
}

}  // namespace

bool ruling::confirmable() const {
    return reason && !changed.empty() && !person && !weak && reason->found_in.empty() &&
           reason->cache_key == input_hash && names_all(conflicts_of_answer(reason->answer()), conflicts());
}

std::string_view to_string(decision d) {
    constexpr std::array words = {"off",     "not_needed", "only_option", "immaterial",
                                  "proceed", "revisit",    "warn",        "block"};
    return words[static_cast<std::size_t>(d)];
}

bool verdict::runs() const {
    return std::none_of(rulings.begin(), rulings.end(), [](const ruling& r) { return r.blocks(); });
}

std::vector<std::string> ruling::conflicts() const {
    std::vector<std::string> names;
    for (const auto& f : findings)
        if (f.outcome == check_outcome::ask) names.push_back(f.check);
    return names;
}

json::array receipts(const verdict& v) {
    json::array out;
    for (const auto& r : v.rulings) out.push_back(receipt_of(r));
    return out;
}

std::vector<std::string> cautions(const verdict& v) {
    std::vector<std::string> out;
    for (const auto& r : v.rulings) {
        for (const auto& f : r.findings) out.push_back(f.text + (f.advice.empty() ? "" : ". " + f.advice));
        for (const auto& remark : r.remarks) out.push_back(r.question->domain + ": " + remark);
        if (r.outcome == decision::revisit || r.outcome == decision::warn)
            for (const auto& note : r.notes) out.push_back(r.question->domain + ": " + note);
    }
    return out;
}

gate::gate(std::shared_ptr<const specs> s, std::shared_ptr<store> where, clock now, policies p,
           argument_schemas schemas)
    : specs_{std::move(s)},
      store_{std::move(where)},
      now_{std::move(now)},
      policies_{std::move(p)},
      schemas_{std::move(schemas)} {}

result<void> gate::keep(const record& r) const {
    const auto known = store_->find(r.domain, r.cache_key);
    const auto without_time = [](const record& one) {
        auto text = one.text;
        for (const char* member : {"timestamp", "digest"}) text.erase(member);
        return base::canonical_json(text);
    };
    if (!known.records.empty() && known.records.front()->found_in.empty() &&
        without_time(*known.records.front()) == without_time(r) &&
        revoked_parent(*known.records.front(), *store_).empty())
        return {};
    return store_->put(r);
}

result<verdict> gate::decide(const call& c) const {
    const auto facts = once(c.facts);
    const auto given = take_inline_answers(c, facts);
    if (!given) return tl::unexpected{given.error()};
    auto v = rule(c, facts, *given);
    if (!v) return v;
    apply_refusals(*v, c);
    if (v->refused) return v;
    for (auto& r : v->rulings) {
        if (c.keep_for_dataset)
            for (const auto& fact : r.stated) c.keep_for_dataset(fact.key(), std::string{fact.value().get_string()});
        if (r.adopts)
            if (auto ok = keep(adopted(*r.reason, r.situation)); !ok) r.notes.push_back(ok.error().message);
        if (!r.blocks()) continue;
        measure_evidence(r, c);
        if (auto why = impossible(r, c)) return tl::unexpected{std::move(*why)};
    }
    return v;
}

result<verdict> gate::rule(const call& c, const facts_lookup& facts, const inline_answers& given) const {
    verdict v{specs_, {}};
    for (const auto* s : specs_->of_tool(c.tool)) {
        if (const auto unseen = given.unseen.find(s->domain); unseen != given.unseen.end()) {
            v.rulings.push_back(unseen->second);
            continue;
        }
        auto of_domain = rule_on(*s, c, facts, given.waived);
        if (!of_domain) return tl::unexpected{of_domain.error()};
        const auto remarks = given.remarks.find(s->domain);
        for (auto& r : *of_domain) {
            if (remarks != given.remarks.end()) r.remarks = remarks->second;
            v.rulings.push_back(std::move(r));
        }
    }
    return v;
}

result<std::vector<ruling>> gate::rule_on(const spec& s, const call& c, const facts_lookup& facts,
                                          const waivers& waived) const {
    const inquiry q{c, facts, *store_, now_(), waived, schemas_};
    const auto p = policy_of(s);
    auto whole = judge(s, p, q);
    if (!whole) return tl::unexpected{whole.error()};
    const auto keys = keys_of_members(s, whole->key_arguments);
    std::vector<ruling> out;
    if (keys.size() < 2 || whole->outcome == decision::not_needed) {
        out.push_back(std::move(*whole));
        return out;
    }
    std::string missing;
    std::optional<ruling> blocked;
    for (const auto& key : keys) {
        const auto member = choice_of(s, key);
        auto r = judge(s, p, q, member);
        if (r && r->blocks()) {
            missing += (missing.empty() ? "" : "+") + member;
            if (blocked) r = judge(s, p, q, missing);
        }
        if (!r) return tl::unexpected{r.error()};
        if (r->blocks())
            blocked = std::move(*r);
        else
            out.push_back(std::move(*r));
    }
    if (blocked) out.push_back(std::move(*blocked));
    return out;
}

result<ruling> gate::answered_ruling(const spec& s, const json::value& given, const call& c, const facts_lookup& facts,
                                     const waivers& waived) const {
    auto rulings = rule_on(s, c, facts, waived);
    if (!rulings) return tl::unexpected{rulings.error()};
    const auto missing = std::find_if(rulings->begin(), rulings->end(), [](const ruling& r) { return r.blocks(); });
    if (rulings->size() == 1) return std::move(rulings->front());
    auto whole = judge(s, policy_of(s), {c, facts, *store_, now_(), waived, schemas_});
    if (!whole || missing == rulings->end()) return whole;
    const auto method = method_of_answer(given);
    const auto chosen = question_of(*whole, c.crs, {schemas_, c.tool}).normalise(method);
    return chosen && *chosen == choice_of(s, whole->key_arguments) ? std::move(*whole) : std::move(*missing);
}

// Of a list-valued choice every member has a record of its own.
static std::vector<record> make_records(const ruling& r, const answer& a, const record_origin& from) {
    std::vector<record> out;
    for (const auto& key : keys_of_members(*r.question, r.key_arguments)) {
        auto own = a;
        own.text["choice"].get_object()["method"] = choice_of(*r.question, key);
        out.push_back(make_record(*r.question, key, own, from));
    }
    return out;
}

result<std::vector<record>> gate::read_inline_answer(ruling& r, const json::value& given, const std::string& place,
                                                     const call& c) const {
    const auto question = question_of(r, c.crs, {schemas_, c.tool});
    const auto keep_facts = [&](const json::object& stated) {
        if (!c.keep_for_dataset) return;
        for (const auto* ask : r.asks)
            if (const auto* word = stated.if_contains(ask->name); word && ask->of_dataset)
                c.keep_for_dataset(ask->name, std::string{word->get_string()});
    };
    if (form_of(given) == answer_form::still_holds) {
        const auto word = read_confirmation(given, question, place);
        if (!word) return tl::unexpected{word.error()};
        if (!r.reason)
            return fail(code::invalid_justification, "still_holds confirms an earlier reason, and there is none",
                        "give the reason itself: intent, alternatives, choice, confidence", place + "/still_holds");
        if (!r.changed.empty() && !r.confirmable())
            return fail(code::invalid_justification, "one sentence is not enough: " + r.changed.front(),
                        "give the whole reason: intent, alternatives, choice, confidence", place + "/still_holds");
        take_answer(r, c, r.reason->answer(), word->facts);
        if (is_refused(r)) return forbidden();
        if (!names_all(word->conflicts, r.conflicts())) return unnamed_conflict(r, word->conflicts);
        keep_facts(word->facts);
        return std::vector{confirmed(*r.reason, *word, r.changed, r.situation, now_())};
    }
    const auto a = read_answer(given, question, place);
    if (!a) return tl::unexpected{a.error()};
    const auto* facts = a->text.if_contains("facts");
    const auto stated = facts ? facts->get_object() : json::object{};
    take_answer(r, c, a->text, stated);
    if (is_refused(r)) return forbidden();
    if (const auto named = conflicts_of_answer(a->text); !names_all(named, r.conflicts()))
        return unnamed_conflict(r, named);
    keep_facts(stated);
    r.remarks = a->warnings;
    // The same answer again: it holds here as well, and remains one reason with several situations.
    if (r.reason && r.orphaned.empty() && r.reason->found_in.empty() && r.reason->cache_key == r.input_hash &&
        r.reason->chosen_by == a->chosen_by &&
        base::canonical_json(r.reason->answer()) == base::canonical_json(a->text))
        return std::vector{r.changed.empty() && !r.adopts ? record{*r.reason} : adopted(*r.reason, r.situation)};
    return make_records(r, *a, {c.tool, a->parents, now_(), r.situation});
}

// All answers are read before the first is stored: a call with one good and one bad answer leaves nothing behind.
result<gate::inline_answers> gate::take_inline_answers(const call& c, const facts_lookup& facts) const {
    inline_answers taken;
    json::value given = c.justification;
    if (given.is_null()) return taken;
    if (given.is_string())
        if (auto parsed = base::parse_json(given.get_string())) given = std::move(*parsed);
    if (!given.is_object())
        return fail(code::invalid_justification, "justification must be an object: domain -> answer", "",
                    "/justification");
    std::vector<record> records;
    std::optional<base::problem> wrong;  // of all domains, so that one more round suffices
    for (const auto& m : given.get_object()) {
        const std::string domain{m.key()};
        const auto place = "/justification/" + base::escape_token(domain);
        const auto* s = specs_->find(domain);
        if (!s || !s->tools.count(c.tool))
            return fail(code::invalid_justification, "'" + domain.substr(0, 80) + "' is not a domain of " + c.tool,
                        "its domains are: " + listed(specs_->domains_of(c.tool)), place);
        auto r = answered_ruling(*s, m.value(), c, facts, taken.waived);
        if (!r) return tl::unexpected{r.error()};
        if (r->free()) continue;  // nothing needs keeping
        result<void> ok;
        if (form_of(m.value()) == answer_form::waiver) {
            auto why = read_waiver(m.value(), place);
            if (why)
                taken.waived[domain] = std::move(*why);
            else
                ok = tl::unexpected{why.error()};
        } else {
            auto read = read_inline_answer(*r, m.value(), place, c);
            // If the policy requires a person's review, an agent's new reason does not replace the old one.
            const bool for_a_person = r->person && r->reason && !r->weak;
            if (read && !r->remarks.empty()) taken.remarks[domain] = r->remarks;
            if (read && (!for_a_person || read->front().chosen_by == "user"))
                records.insert(records.end(), read->begin(), read->end());
            else if (!read && read.error().code == code::policy) {
                taken.unseen.emplace(domain, std::move(*r));
                taken.refused = true;
            } else if (!read && read.error().code == code::needs_justification)
                taken.unseen.emplace(domain, bounced(std::move(*r)));
            else if (!read)
                ok = tl::unexpected{read.error()};
        }
        if (ok) continue;
        auto p = ok.error();
        if (p.code != code::invalid_justification) return tl::unexpected{std::move(p)};
        p.message = domain + ": " + p.message;
        if (wrong) p = {wrong->code, wrong->message + "; " + p.message, wrong->hint, wrong->at};
        wrong = std::move(p);
    }
    if (wrong) {
        wrong->message = c.tool + " was not run: " + wrong->message;
        return tl::unexpected{std::move(*wrong)};
    }
    if (taken.refused) return taken;
    for (const auto& r : records)
        if (auto ok = keep(r); !ok) return tl::unexpected{ok.error()};
    return taken;
}

result<gate::submission> gate::submitted(const ruling& r, const json::value& given, const answer_question& question,
                                         record_origin from) const {
    const std::string place = "/justification";
    // Facts stated for lack of data belong to the situation, as if the call itself had carried the answer.
    const auto take_facts = [&](const json::object& stated) {
        for (const auto& e : r.question->scope)
            if (const auto* word = stated.if_contains(e.name);
                word && base::string_member(from.situation, e.name, unknown_fact) == unknown_fact)
                from.situation[e.name] = *word;
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
        take_facts(word->facts);
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
    if (const auto* facts = a->text.if_contains("facts")) take_facts(facts->get_object());
    from.parents.insert(from.parents.end(), a->parents.begin(), a->parents.end());
    return submission{make_records(r, *a, from), a->warnings};
}

result<json::object> gate::store_justification(const json::value& arguments, const crs_lookup& crs) const {
    static const auto shape = base::schema::compile(base::parse_json(submission_schema).value()).value();
    if (auto ok = shape.check(arguments); !ok) return tl::unexpected{ok.error()};
    const std::string domain{base::string_member(arguments, "domain")};
    const auto* s = specs_->find(domain);
    if (!s) {
        std::vector<std::string> names;
        for (const auto& known : specs_->all()) names.push_back(known.domain);
        return fail(code::invalid_argument, "there is no domain '" + domain.substr(0, 80) + "'",
                    "domains: " + listed(names), "/domain");
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

result<json::object> gate::preflight(const call& c) const {
    auto v = rule(c, once(c.facts), {});
    if (!v) return tl::unexpected{v.error()};
    apply_refusals(*v, c);
    json::array domains;
    for (auto& r : v->rulings) {
        const bool asks = r.blocks() && !r.refused;
        if (asks) measure_evidence(r, c);
        auto entry = receipt_of(r);
        if (asks) entry["missing"] = missing_entry(r, c);
        domains.push_back(std::move(entry));
    }
    json::object out{{"tool", c.tool}, {"runs", v->runs()}, {"domains", std::move(domains)}};
    if (!v->runs() && !v->refused) out["retry"] = retry_of(*v, c);
    return out;
}

std::string utc_now() { return timestamp_of(std::chrono::system_clock::now()); }

}  // namespace gdalmcp::reflection
