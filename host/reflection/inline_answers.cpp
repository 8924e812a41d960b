// Answers that come with the call they are about.
#include <algorithm>

#include "base/near_names.hpp"
#include "base/pointer.hpp"
#include "reflection/judge.hpp"

namespace gdalmcp::reflection {
namespace {

using base::fail;
using base::result;
namespace code = base::code;

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
    const auto conflicts = r.conflicts();
    for (const auto& given : named)
        if (const std::string name{base::string_member(given, "name")};
            std::find(conflicts.begin(), conflicts.end(), name) == conflicts.end())
            r.unnamed += ", not '" + base::shortened(name, 40) + "'";
    return fail(code::needs_justification, "the answer does not name every conflict between choice and data");
}

// An answer that is refused leaves nothing behind, so that the next one states its facts anew.
void ask_again(ruling& r, const json::object& stated) {
    for (const auto* ask : open_to_statements(r))
        if (stated.contains(ask->name) && std::find(r.asks.begin(), r.asks.end(), ask) == r.asks.end())
            r.asks.push_back(ask);
}

// What an answer states of the dataset though the data show something else; "" where that is not so.
std::string disregarded(const asked_fact& ask, const json::object& stated, const ruling& r) {
    const auto* word = stated.if_contains(ask.name);
    const auto* known = ask.of_dataset && !r.facts.is_null() ? base::at_pointer(r.facts, ask.known_by) : nullptr;
    if (!word || !known || !known->is_string() || *known == *word || known->get_string() == unknown_fact) return {};
    return "facts." + ask.name + " = " + std::string{word->get_string()} + " does not count: the data show " +
           std::string{known->get_string()};
}

// Names in `conflicts` that no check of the domain has.
std::vector<std::string> no_checks(const spec& s, const json::array& named) {
    std::vector<std::string> out;
    for (const auto& conflict : named) {
        const std::string name{base::string_member(conflict, "name")};
        if (std::none_of(s.checks.begin(), s.checks.end(), [&](const check& c) { return c.name == name; }))
            out.push_back("conflicts names '" + base::shortened(name, 40) + "', which is no conflict of " + s.domain);
    }
    return out;
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

}  // namespace

result<ruling> gate::answered_ruling(const spec& s, const json::value& given, const call& c, const facts_lookup& facts,
                                     const waivers& waived) const {
    auto rulings = rule_on(s, c, facts, waived);
    if (!rulings) return tl::unexpected{rulings.error()};
    const auto missing = std::find_if(rulings->begin(), rulings->end(), [](const ruling& r) { return r.blocks(); });
    if (rulings->size() == 1 || rulings->front().judged) return std::move(rulings->front());
    auto whole = judge(s, policy_of(s), {c, facts, *store_, now_(), waived, schemas_});
    if (!whole || missing == rulings->end()) return whole;
    const auto method = method_of_answer(given);
    const auto chosen = question_of(*whole, c.crs, {schemas_, c.tool}).normalise(method);
    return chosen && *chosen == choice_of(s, whole->key_arguments) ? std::move(*whole) : std::move(*missing);
}

result<std::vector<record>> gate::read_inline_answer(ruling& r, const json::value& given, const std::string& place,
                                                     const call& c) const {
    const auto question = question_of(r, c.crs, {schemas_, c.tool});
    const auto keep_facts = [&](const json::object& stated) {
        if (!c.keep_for_dataset) return;
        for (const auto* ask : open_to_statements(r))
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
        if (!names_all(word->conflicts, r.conflicts())) {
            ask_again(r, word->facts);
            return unnamed_conflict(r, word->conflicts);
        }
        keep_facts(word->facts);
        r.remarks = no_checks(*r.question, word->conflicts);
        return std::vector{confirmed(*r.reason, *word, r.changed, r.situation, now_())};
    }
    const auto a = read_answer(given, question, place);
    if (!a) return tl::unexpected{a.error()};
    const auto* facts = a->text.if_contains("facts");
    const auto stated = facts ? facts->get_object() : json::object{};
    take_answer(r, c, a->text, stated);
    if (is_refused(r)) return forbidden();
    if (const auto named = conflicts_of_answer(a->text); !names_all(named, r.conflicts())) {
        ask_again(r, stated);
        return unnamed_conflict(r, named);
    }
    keep_facts(stated);
    r.remarks = a->warnings;
    for (auto& remark : no_checks(*r.question, conflicts_of_answer(a->text))) r.remarks.push_back(std::move(remark));
    for (const auto& ask : r.question->asks)
        if (auto remark = disregarded(ask, stated, r); !remark.empty()) r.remarks.push_back(std::move(remark));
    // The same answer again: it holds here as well, and remains one reason with several situations.
    if (r.reason && r.orphaned.empty() && r.reason->found_in.empty() && r.reason->cache_key == r.input_hash &&
        r.reason->chosen_by == a->chosen_by &&
        base::canonical_json(r.reason->answer()) == base::canonical_json(a->text))
        return std::vector{r.changed.empty() && !r.adopts ? record{*r.reason} : adopted(*r.reason, r.situation)};
    return records_of(*r.question, r.key_arguments, *a, {c.tool, a->parents, now_(), r.situation});
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
                        "its domains are: " + base::joined(specs_->domains_of(c.tool)), place);
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

}  // namespace gdalmcp::reflection
