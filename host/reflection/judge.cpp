#include "reflection/judge.hpp"

#include <algorithm>

#include "reflection/call_circumstances.hpp"
#include "reflection/ruling_facts.hpp"
#include "reflection/settled.hpp"
#include "reflection/stored_reason.hpp"

namespace gdalmcp::reflection {
namespace {

using base::result;

ruling not_needed(ruling r, const condition& because, const call& c) {
    r.outcome = decision::not_needed;
    if (!because.note.empty()) r.notes.push_back(filled(because.note, around(r, c)));
    return r;
}

bool has_conflict(const ruling& r) {
    return std::any_of(r.findings.begin(), r.findings.end(),
                       [](const finding& f) { return f.outcome == check_outcome::ask; });
}

// No reason is stored.
void rule_on_missing(ruling& r, const inquiry& q) {
    const bool serious = r.critical || has_conflict(r);
    r.outcome = decision::proceed;
    react(r, serious && r.policy.missing == reaction::warn ? reaction::block : r.policy.missing, decision::warn);
    if (r.outcome == decision::warn) r.notes.push_back("no reason is stored; the policy lets the call run");
    const auto waived = q.waivers.find(r.question->domain);
    if (waived == q.waivers.end()) return;
    if (serious || r.question->risk == "high" || r.policy.missing == reaction::person) {
        r.insufficient = "\"needs_escalation\": false does not count here: " +
                         std::string{serious ? "choice and data are in conflict or the case is critical"
                                     : r.question->risk == "high" ? "the risk is high"
                                                                  : "the policy requires a person's reason"};
        r.notes.push_back(r.insufficient);
        return;
    }
    r.outcome = decision::warn;
    r.person = false;
    r.notes.push_back("not escalated by the agent: " + waived->second);
}

}  // namespace

result<ruling> judge(const spec& s, const policy& p, const inquiry& q, const std::string& choice) {
    ruling r;
    r.question = &s;
    r.policy = p;
    r.shared = q.shared;
    if (p.off) {
        r.outcome = decision::off;
        r.notes.emplace_back("switched off by the operator's policy: no reason was requested");
        return r;
    }
    bool open = false;
    if (const auto* because = first_that_holds(s.not_needed_when, around(s, q.asked), open))
        return not_needed(std::move(r), *because, q.asked);
    auto key = key_of_call(s, q.asked.tool, q.asked.arguments, q.facts, q.asked.crs);
    if (!key) return tl::unexpected{key.error()};
    r.key_arguments = std::move(*key);
    if (!choice.empty()) r.key_arguments[s.choice] = choice;
    r.title = own_title(s, around(r, q.asked));
    r.line = question_line(s, around(r, q.asked));
    r.input_hash = cache_key(s.domain, s.question_prompt.hash, r.key_arguments);
    r.question_hash = question_hash(s.domain, r.key_arguments);
    if (const auto* because = first_that_holds(s.not_needed_when, around(r, q.asked), open))
        return not_needed(std::move(r), *because, q.asked);
    std::string stale;
    find_reason(r, q.where, stale);
    const bool data_count = open || !s.scope.empty() || !s.checks.empty() || !s.critical_when.empty() ||
                            !s.asks.empty() || (!r.reason && !s.evidence.empty());
    if (data_count) read_facts(r, q);
    if (!r.facts.is_null())
        if (const auto* because = first_that_holds(s.not_needed_when, around(r, q.asked), open))
            return not_needed(std::move(r), *because, q.asked);
    r.asks = still_asked(s.asks, r.facts.is_null() ? nullptr : &r.facts);
    name_input(r);
    r.stated = stated_for_this_dataset(r);
    overlay(r, r.stated);
    if (!r.stated.empty()) r.asks = still_asked(s.asks, &r.facts);
    auto here = around(r, q.asked);
    const auto* critical = first_that_holds(s.critical_when, here, open);
    r.critical = critical != nullptr;
    const json::value answer = r.reason ? json::value(r.reason->answer()) : json::value{};
    if (r.reason) here.answer = &answer;
    r.findings = findings_of(s.checks, here, p);
    locate_findings(r, q.asked);
    describe_situation(r, q.asked, {});
    if (!r.reason) {
        rule_on_missing(r, q);
    } else {
        r.orphaned = revoked_parent(*r.reason, q.where);
        weigh(r, stale, q.now);
        weigh_scope(r);
    }
    if (r.blocks() && !has_conflict(r)) settle_without_reason(r, q);
    if (r.blocks() && r.reason && q.waivers.contains(s.domain))
        r.insufficient = "\"needs_escalation\": false does not count where a stored reason is in question";
    if (critical && r.blocks() && !critical->note.empty()) r.notes.push_back("critical: " + critical->note);
    return r;
}

answer_question question_of(const ruling& r, const crs_lookup& crs, argument_reader reader) {
    const auto& s = *r.question;
    answer_question q;
    q.domain = s.domain;
    q.choice = choice_of(s, r.key_arguments);
    for (const auto& key : keys_of_members(s, r.key_arguments)) q.members.push_back(choice_of(s, key));
    q.asks = r.asks;
    for (const auto& a : s.asks) q.known.push_back(&a);
    std::string geometry_crs;
    for (const auto& k : s.key)
        if (k.crs_of == s.choice) geometry_crs = base::string_member(r.key_arguments, k.name);
    q.normalise = [&s, &crs, geometry_crs, choice = q.choice,
                   reader = std::move(reader)](std::string_view method) -> result<std::string> {
        if (method == choice) return choice;
        const auto& k = *s.find_key(s.choice);
        const auto read = reader.read(s, k, json::value(json::string_view{method}));
        if (!read) return tl::unexpected{read.error()};
        auto normal = normal_form(k.normal, *read, crs, geometry_crs);
        if (!normal) return tl::unexpected{normal.error()};
        return choice_of(s, {{s.choice, std::move(*normal)}});
    };
    return q;
}

}  // namespace gdalmcp::reflection
