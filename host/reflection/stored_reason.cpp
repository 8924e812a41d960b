#include "reflection/stored_reason.hpp"

#include <algorithm>
#include <set>

#include "base/text.hpp"
#include "reflection/answer.hpp"

namespace gdalmcp::reflection {
namespace {

// Whether the record's answer names the choice of its key.
bool fits(const record& r, const std::string& choice) {
    return base::string_member(r.answer().at("choice"), "method") == choice;
}

// Days between two timestamps of RFC 3339 in UTC.
std::int64_t days_between(const std::string& from, const std::string& to) {
    const auto day = [](const std::string& t) -> std::int64_t {
        std::tm parts{};
        if (!::strptime(t.c_str(), "%Y-%m-%dT%H:%M:%S", &parts)) return 0;
        return ::timegm(&parts) / 86400;
    };
    return day(to) - day(from);
}

bool wants(const record& r, std::string_view condition) {
    const auto* status = r.answer().if_contains("epistemic_status");
    const auto* all = status ? base::find_member(*status, "conditions_for_revisit") : nullptr;
    if (!all) return false;
    return std::any_of(all->get_array().begin(), all->get_array().end(),
                       [&](const json::value& v) { return normal_text(v.get_string()) == condition; });
}

// The answer's own conditions that can be tested: "extent outside" and "input changed".
void apply_own_conditions(const ruling& r, const json::object& stored, std::vector<scope_entry>& scope,
                          std::vector<std::string>& found) {
    if (wants(*r.reason, "extent outside"))
        for (auto& e : scope)
            if (e.how == scope_entry::comparison::grow) e.amount = 0;
    if (!wants(*r.reason, "input changed")) return;
    const auto *was = stored.if_contains("input"), *is = r.situation.if_contains("input");
    if (!was || !is) return;
    const auto path = base::string_member(*is, "path");
    if (path == base::string_member(*was, "path") &&
        base::string_member(*is, "state") != base::string_member(*was, "state"))
        found.push_back(std::string{path} + " has changed since the reason was given");
}

// Whether a situation is that of the call's own data. Inline data have no name: then every fact must agree.
bool of_the_same_data(const json::object& stored, const json::object& now) {
    const auto *was = stored.if_contains("input"), *is = now.if_contains("input");
    if (was || is) return was && is && base::canonical_json(*was) == base::canonical_json(*is);
    return std::all_of(now.begin(), now.end(), [&](const auto& member) {
        const auto* theirs = stored.if_contains(member.key());
        return !theirs || member.key() == "conflicts" ||
               base::canonical_json(*theirs) == base::canonical_json(member.value());
    });
}

// " (4984 cells)"; empty: not counted.
std::string counted(const json::value* count) {
    return count && count->is_number() ? " (" + base::write_json(*count) + " cells)" : std::string{};
}

// A sample that is cut off by time counts differently each time; another band of the file counts more.
bool holds_for_count(const json::value* accepted, const json::value& now) {
    return !accepted || !accepted->is_number() || !now.is_number() ||
           now.to_number<double>() <= 2 * accepted->to_number<double>();
}

// The digest of the data that a conflict was accepted for; empty: the input. Nothing: it was not accepted.
std::optional<std::string> accepted_in(const json::value* conflicts, std::string_view check) {
    if (conflicts && conflicts->is_array())
        for (const auto& one : conflicts->get_array())
            if (one.is_string() && check_of(one.get_string()) == check)
                return std::string{one.get_string()}.substr(std::min(check.size() + 1, one.get_string().size()));
    return std::nullopt;
}

// A conflict was accepted for the data it was measured on, and for as many of their cells. On other data it is new.
std::vector<std::string> unseen_conflicts(const ruling& r, const json::object& stored) {
    const auto* seen = stored.if_contains("conflicts");
    const auto* counts = stored.if_contains("counts");
    const auto path_in = [](const json::object& situation) {
        const auto* input = situation.if_contains("input");
        return std::string{input ? base::string_member(*input, "path") : ""};
    };
    const bool same_data = of_the_same_data(stored, r.situation);
    // What follows from the kind that an answer states is in no scope it was given with: it names that itself.
    const auto named = !r.stated.empty() && same_data ? conflicts_of_answer(r.reason->answer()) : json::array{};
    std::vector<std::string> found;
    for (const auto& f : r.findings) {
        if (f.outcome != check_outcome::ask || (f.count.is_null() && names_conflict(named, f.check))) continue;
        const auto accepted = accepted_in(seen, f.check);
        if (!accepted) {
            found.push_back(f.text);
            continue;
        }
        const auto* count = counts ? base::find_member(*counts, f.check) : nullptr;
        const bool here = accepted->empty() && f.found_in.empty() ? same_data : *accepted == f.found_in;
        if (here && holds_for_count(count, f.count)) continue;
        const auto was = accepted->empty() ? path_in(stored) : "",
                   is = f.where.empty() ? path_in(r.situation) : f.where;
        found.push_back(f.check + " was accepted for " + (was.empty() ? "other data" : was) + counted(count) +
                        ", not for " + (is.empty() ? "these data" : is) + (was == is && !here ? " as it is now" : "") +
                        counted(&f.count));
    }
    return found;
}

std::vector<std::string> differences_from(const ruling& r, const json::object& stored) {
    auto scope = r.question->scope;
    std::vector<std::string> found;
    apply_own_conditions(r, stored, scope, found);
    for (auto& d : differences(scope, stored, r.situation)) found.push_back(std::move(d));
    for (auto& c : unseen_conflicts(r, stored)) found.push_back(std::move(c));
    return found;
}

// Facts that lie outside of a scope whose spec blocks then.
std::vector<std::string> far_outside(const ruling& r, const json::object& stored) {
    std::vector<scope_entry> strict;
    for (const auto& e : r.question->scope)
        if (e.blocks) strict.push_back(e);
    return differences(strict, stored, r.situation);
}

// By the situation of the reason nearest to this call. Returns whether the call may not run on it.
bool compare_scope(ruling& r) {
    if (r.facts.is_null()) return false;
    const auto situations = r.reason->situations();
    if (situations.empty()) {
        r.changed = differences_from(r, {});
        r.adopts = r.changed.empty() && !r.situation.empty() && r.reason->found_in.empty();
        return !unseen_conflicts(r, {}).empty();
    }
    // One that lets the call run is nearer than one that does not, whatever else differs.
    std::optional<std::pair<std::size_t, std::size_t>> nearest;
    std::vector<std::string> strict;
    for (const auto& stored : situations) {
        auto found = differences_from(r, stored), blocking = far_outside(r, stored);
        for (auto& c : unseen_conflicts(r, stored)) blocking.push_back(std::move(c));
        const std::pair distance{blocking.size(), found.size()};
        if (nearest && distance >= *nearest) continue;
        nearest = distance;
        r.changed = std::move(found);
        strict = std::move(blocking);
    }
    // What blocks is named first.
    std::stable_partition(r.changed.begin(), r.changed.end(), [&](const std::string& d) {
        return std::find(strict.begin(), strict.end(), d) != strict.end();
    });
    return !strict.empty();
}

}  // namespace

void find_reason(ruling& r, store& where, std::string& stale) {
    const auto choice = choice_of(*r.question, r.key_arguments);
    auto found = where.find(r.question->domain, r.input_hash);
    r.notes.insert(r.notes.end(), found.warnings.begin(), found.warnings.end());
    for (const auto& record : found.records) {
        if (fits(*record, choice)) {
            r.reason = record;
            return;
        }
        r.notes.push_back(record->ref() + " is ignored: its choice.method does not match its key");
    }
    const auto& prompt = r.question->question_prompt;
    for (const auto& record : where.find_question(r.question->domain, r.question_hash).records) {
        if (!fits(*record, choice) || record->cache_key == r.input_hash) continue;
        const auto& equivalent = prompt.equivalent_to;
        if (std::find(equivalent.begin(), equivalent.end(), record->prompt_hash) != equivalent.end()) {
            r.reason = record;
            stale.clear();
            return;
        }
        if (r.reason) continue;  // the newest comes first
        r.reason = record;
        stale = "stale: answered on " + record->timestamp.substr(0, 10) + " under an older wording of " + prompt.name;
    }
}

void react(ruling& r, reaction how, decision mild) {
    if (how == reaction::warn) {
        if (r.outcome != decision::block && r.outcome != decision::warn) r.outcome = mild;
        return;
    }
    r.outcome = decision::block;
    r.person = r.person || how == reaction::person;
}

// A warning does not suffice; a person decides where the policy says so.
reaction stricter(reaction how, bool serious) { return serious && how == reaction::warn ? reaction::block : how; }

void weigh(ruling& r, const std::string& stale, const std::string& now) {
    const auto& p = r.policy;
    const auto& reason = *r.reason;
    r.outcome = decision::proceed;
    const auto answer_intent = base::string_member(reason.answer(), "intent");
    r.remembered = "reason of " + reason.timestamp.substr(0, 10) + ", chosen by the " + reason.chosen_by +
                   (reason.found_in.empty() ? "" : ", from " + reason.found_in) + ": " +
                   base::shortened(answer_intent, 120);
    std::string old = stale;
    if (const auto age = days_between(reason.last_confirmed, now); p.max_age_days && age > *p.max_age_days)
        old = "expired: the reason is " + std::to_string(age) + " days old, the policy allows " +
              std::to_string(*p.max_age_days);
    if (!old.empty()) {
        r.notes.push_back(old);
        react(r, stricter(p.stale, r.critical), decision::warn);
        if (r.blocks()) r.changed.push_back(old);
    }
    if (reason.confidence < p.minimum) {
        const auto weak = "its confidence is " + std::string{to_string(reason.confidence)} + ", the policy requires " +
                          std::string{to_string(p.minimum)};
        r.notes.push_back(weak);
        const auto how = stricter(p.low_confidence, r.critical);
        const bool enough = reason.chosen_by == "user" && how == reaction::person;
        if (!enough) react(r, how, decision::warn);
        r.weak = !enough && how != reaction::warn;
        if (r.weak) r.changed.push_back(weak);
    }
    if (!r.orphaned.empty()) {
        r.notes.push_back(r.orphaned);
        r.changed.push_back(r.orphaned);
        react(r, stricter(p.revisit, r.critical), decision::revisit);
    }
    if (p.missing == reaction::person && reason.chosen_by != "user") {
        r.changed.push_back("an agent gave the reason, the policy requires a person's");
        react(r, reaction::person, decision::warn);
    }
}

void weigh_scope(ruling& r) {
    const auto already = r.changed;
    r.changed.clear();
    const bool far = compare_scope(r);
    if (!r.changed.empty()) {
        for (const auto& c : r.changed)
            if (std::none_of(r.findings.begin(), r.findings.end(), [&](const finding& f) { return f.text == c; }))
                r.notes.push_back("outside its scope: " + c);
        react(r, stricter(r.policy.revisit, r.critical || far), decision::revisit);
    }
    r.changed.insert(r.changed.begin(), already.begin(), already.end());
}

namespace {

// A revocation counts where it is later than every confirmation on the way down to the reason that is judged.
std::string revoked_ancestor(const found_record& reason, store& where, std::string confirmed,
                             std::set<std::string, std::less<>>& seen) {
    confirmed = std::max(confirmed, std::string{reason.last_confirmed});
    for (const auto& parent : reason.text.at("parents").get_array()) {
        const std::string_view key{parent.get_string()};
        // A confirmed reason is its own parent.
        if (key == reason.cache_key || !seen.emplace(key).second) continue;
        if (const auto gone = where.revoked(key)) {
            if (gone->timestamp > confirmed)
                return "the reason it builds on, " + gone->ref + ", was revoked on " + gone->timestamp.substr(0, 10);
            continue;
        }
        for (const auto& domain : where.domains())
            for (const auto& r : where.find(domain, key).records)
                if (auto why = revoked_ancestor(*r, where, confirmed, seen); !why.empty()) return why;
    }
    return {};
}

}  // namespace

std::string revoked_parent(const found_record& reason, store& where) {
    std::set<std::string, std::less<>> seen;
    return revoked_ancestor(reason, where, "", seen);
}

}  // namespace gdalmcp::reflection
