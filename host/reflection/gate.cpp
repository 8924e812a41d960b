#include "reflection/gate.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "base/schema_arguments.hpp"
#include "reflection/bounce.hpp"
#include "reflection/judge.hpp"
#include "reflection/question_entry.hpp"
#include "reflection/timestamp.hpp"

namespace gdalmcp::reflection {
namespace {

using base::fail;
using base::result;
namespace code = base::code;

// The facts, requested at most once.
facts_lookup once(const facts_lookup& ask) {
    return [&ask, known = std::make_shared<std::optional<result<json::value>>>()]() -> result<json::value> {
        if (!*known) *known = ask ? ask() : fail(code::internal, "facts about the inputs are not available");
        return **known;
    };
}

base::problem refused_by_policy(const call& c, const ruling& r, const finding& f) {
    return {code::policy, c.tool + " was not run: " + f.text,
            (f.advice.empty() ? "" : f.advice + "; ") + "the policy of " + r.question->domain + " refuses it (check " +
                f.check + "), whatever the reason",
            ""};
}

// Whatever else their keys hold, such as a threshold: so every record of the domain is read, 10 us each.
void find_answered_steps(ruling& r, store& where) {
    const auto& s = *r.question;
    if (s.plan.empty()) return;
    const auto known = where.list(s.domain).records;
    const auto answers = [](const record& one, const planned_step& step) {
        const auto& key = one.text.at("prompt_args").get_object();
        return std::all_of(step.prompt_args.begin(), step.prompt_args.end(), [&](const auto& a) {
            const auto* given = key.if_contains(a.key());
            return given && *given == a.value();
        });
    };
    for (const auto& step : s.plan)
        if (std::any_of(known.begin(), known.end(), [&](const auto& one) { return answers(*one, step); }))
            r.answered.push_back(&step);
}

// Whether a stored reason came from the one that implies `fresh`.
bool is_implied(const record& stored, const record& fresh) {
    const auto& parents = stored.text.at("parents").get_array();
    const auto& from = fresh.text.at("parents").get_array().back();
    return std::find(parents.begin(), parents.end(), from) != parents.end();
}

void prepare_question(ruling& r, const call& c, store& where) {
    find_answered_steps(r, where);
    measure_evidence(r, c);
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

gate::gate(std::shared_ptr<const specs> s, std::shared_ptr<store> where, clock now, policies p,
           argument_schemas schemas)
    : specs_{std::move(s)},
      store_{std::move(where)},
      now_{std::move(now)},
      policies_{std::move(p)},
      schemas_{std::move(schemas)} {}

result<void> gate::keep(const record& r) const {
    const auto known = store_->find(r.domain, r.cache_key);
    const auto* own = known.records.empty() || !known.records.front()->found_in.empty() ||
                              !revoked_parent(*known.records.front(), *store_).empty()
                          ? nullptr
                          : known.records.front().get();
    const auto without_time = [](const record& one) {
        auto text = one.text;
        for (const char* member : {"timestamp", "digest"}) text.erase(member);
        return base::canonical_json(text);
    };
    if (own && without_time(*own) == without_time(r)) return {};
    if (!own || !r.implied || is_implied(*own, r)) return store_->put(r);
    // What was said of this very choice stays: it holds here as well.
    const auto here = r.situations();
    return here.empty() ? result<void>{} : store_->put(adopted(*own, here.back()));
}

result<verdict> gate::decide(const call& c) const {
    const auto facts = once(c.facts);
    const auto given = take_inline_answers(c, facts);
    if (!given) return tl::unexpected{given.error()};
    // What an answer states may correct what was known when it was read.
    auto v = rule(c, c.justification.is_null() ? facts : once(c.facts), *given);
    if (!v) return v;
    apply_refusals(*v, c);
    if (v->refused) return v;
    for (auto& r : v->rulings) {
        if (c.keep_for_dataset)
            for (const auto& fact : r.stated) c.keep_for_dataset(fact.key(), std::string{fact.value().get_string()});
        if (r.adopts)
            if (auto ok = keep(adopted(*r.reason, r.situation)); !ok) r.notes.push_back(ok.error().message);
        if (!r.blocks()) continue;
        prepare_question(r, c, *store_);
        if (auto why = impossible(r, c)) {
            const auto form = r.question->judged_as.find(c.tool);
            return tl::unexpected{form == r.question->judged_as.end() ? *why : form->second.as_called(*why)};
        }
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

namespace {

std::shared_ptr<const call> call_in(const judged_form& form, std::size_t turn, const call& c,
                                    const argument_schemas& schemas) {
    auto as = std::make_shared<call>(c);
    as->tool = form.tool;
    as->arguments = form.arguments_in(turn, c.arguments);
    if (const auto* schema = schemas ? schemas(form.tool) : nullptr) {
        base::reify(*schema, as->arguments);
        base::fill_defaults(*schema, as->arguments);
    }
    as->called = std::make_shared<const call::called_tool>(call::called_tool{c.tool, c.arguments});
    return as;
}

bool is_stricter(const ruling& a, const ruling& b) {
    const auto refused = [](const ruling& r) {
        return std::any_of(r.findings.begin(), r.findings.end(),
                           [](const finding& f) { return f.outcome == check_outcome::refuse; });
    };
    if (refused(a) != refused(b)) return refused(a);
    return a.outcome != b.outcome ? a.outcome > b.outcome : a.conflicts().size() > b.conflicts().size();
}

// The conflicts that are found in several of the inputs.
std::map<std::string, shared_finding, std::less<>> shared_findings(const std::vector<ruling>& all) {
    std::map<std::string, shared_finding, std::less<>> found;
    for (const auto& r : all)
        for (const auto& f : r.findings) {
            auto& shared = found[f.check];
            shared.data.insert(shared.data.end(), f.data.begin(), f.data.end());
            if (f.count.is_number() &&
                (shared.count.is_null() || f.count.to_number<double>() > shared.count.to_number<double>()))
                shared.count = f.count;
        }
    std::erase_if(found, [](const auto& one) { return one.second.data.size() < 2; });
    return found;
}

// Of rulings in order of strictness the first, and where it lets the call run, those with a conflict that none before
// them has.
std::vector<ruling> told_apart(std::vector<ruling> all) {
    std::vector<ruling> out;
    std::set<std::string, std::less<>> told;
    for (auto& r : all) {
        bool fresh = out.empty();
        for (const auto& name : r.conflicts()) fresh = told.insert(name).second || fresh;
        if (fresh) out.push_back(std::move(r));
        if (out.front().blocks()) break;
    }
    return out;
}

}  // namespace

result<std::vector<ruling>> gate::rule_as(const judged_form& form, const spec& s, const call& c,
                                          const facts_lookup& facts, const waivers& waived) const {
    const auto judge_all =
        [&](const std::map<std::string, shared_finding, std::less<>>& shared) -> result<std::vector<ruling>> {
        std::vector<ruling> all;
        for (std::size_t turn = 0; turn < form.turns(c.arguments); ++turn) {
            const auto as = call_in(form, turn, c, schemas_);
            const facts_lookup of_turn = [&]() -> result<json::value> {
                return facts().map([&](json::value known) { return form.facts_in(turn, std::move(known)); });
            };
            auto r = judge(s, policy_of(s), {*as, of_turn, *store_, now_(), waived, schemas_, shared});
            if (!r) return tl::unexpected{r.error()};
            r->judged = as;
            all.push_back(std::move(*r));
        }
        return all;
    };
    auto all = judge_all({});
    if (!all) return all;
    if (const auto shared = shared_findings(*all); !shared.empty()) all = judge_all(shared);
    if (!all) return all;
    std::stable_sort(all->begin(), all->end(), is_stricter);
    return told_apart(std::move(*all));
}

result<std::vector<ruling>> gate::rule_on(const spec& s, const call& c, const facts_lookup& facts,
                                          const waivers& waived) const {
    if (const auto form = s.judged_as.find(c.tool); form != s.judged_as.end()) {
        auto r = rule_as(form->second, s, c, facts, waived);
        if (!r) return tl::unexpected{form->second.as_called(r.error())};
        return r;
    }
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

result<json::object> gate::preflight(const call& c) const {
    auto v = rule(c, once(c.facts), {});
    if (!v) return tl::unexpected{v.error()};
    apply_refusals(*v, c);
    json::array domains;
    bool explained = false;
    for (auto& r : v->rulings) {
        const bool asks = r.blocks() && !r.refused;
        if (asks) prepare_question(r, c, *store_);
        auto entry = receipt_of(r);
        if (asks) {
            entry["missing"] = missing_entry(r, c, !explained);
            explained = true;
        }
        domains.push_back(std::move(entry));
    }
    json::object out{{"tool", c.tool}, {"runs", v->runs()}, {"domains", std::move(domains)}};
    if (!v->runs() && !v->refused) out["retry"] = retry_of(*v, c);
    return out;
}

std::string utc_now() { return timestamp_of(std::chrono::system_clock::now()); }

}  // namespace gdalmcp::reflection
