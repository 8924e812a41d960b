#include "reflection/judge.hpp"

#include <algorithm>
#include <set>

#include "base/pointer.hpp"
#include "base/text.hpp"
#include "reflection/digits.hpp"
#include "reflection/possible_values.hpp"

namespace gdalmcp::reflection {
namespace {

using base::fail;
using base::result;
namespace code = base::code;

circumstances around(const spec& s, const call& c) {
    circumstances here;
    here.tool = c.tool;
    here.arguments = &c.arguments;
    here.normalise = [&s, &c](std::string_view name, const json::value& given) -> result<json::value> {
        const auto* k = s.find_key(name);
        if (!k) return fail(code::internal, "no key argument '" + std::string{name} + "'");
        return normal_form(k->normal, given, c.crs);
    };
    return here;
}

circumstances around(const ruling& r, const call& c) {
    auto here = around(*r.question, c);
    here.key = &r.key_arguments;
    if (!r.facts.is_null()) here.facts = &r.facts;
    return here;
}

// The first condition that holds; `open` is true if another one might hold once the facts are known.
const condition* first_that_holds(const std::vector<condition>& conditions, const circumstances& here, bool& open) {
    open = false;
    for (const auto& condition : conditions) {
        const auto t = holds(condition, here);
        if (t == truth::yes) return &condition;
        open = open || t == truth::unknown;
    }
    return nullptr;
}

ruling not_needed(ruling r, const condition& because) {
    r.outcome = decision::not_needed;
    if (!because.note.empty()) r.notes.push_back(because.note);
    return r;
}

// ---- the stored reason

// Whether the record's answer names the choice of its key.
bool fits(const record& r, const std::string& choice) {
    return base::string_member(r.answer().at("choice"), "method") == choice;
}

// Fresh, or under another wording of its prompt: then `stale` has its date.
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

// Days between two timestamps of RFC 3339 in UTC.
std::int64_t days_between(const std::string& from, const std::string& to) {
    const auto day = [](const std::string& t) -> std::int64_t {
        std::tm parts{};
        if (!::strptime(t.c_str(), "%Y-%m-%dT%H:%M:%S", &parts)) return 0;
        return ::timegm(&parts) / 86400;
    };
    return day(to) - day(from);
}

// ---- the facts

std::string spelling_of_crs(const spec& s, const call& c) {
    const auto* choice = s.find_key(s.choice);
    if (!choice || choice->normal.how != form::crs) return {};
    const auto mapped = s.tools.find(c.tool);
    const auto sources = mapped->second.find(s.choice);
    if (sources == mapped->second.end()) return {};
    for (const auto& source : sources->second)
        if (source.from == key_source::origin::argument)
            if (const auto* v = base::at_pointer(c.arguments, source.at);
                v && v->is_string() && !v->get_string().empty())
                return std::string{v->get_string()};
    return {};
}

json::object evidence_now(const ruling& r, const evidence_source& e, const call& c) {
    auto key = r.key_arguments;
    // A CRS without a code cannot be measured by the digest in the key.
    if (auto* choice = key.if_contains(r.question->choice);
        choice && choice->is_string() && is_projjson_hash(std::string_view{choice->get_string()}))
        if (const auto spelling = spelling_of_crs(*r.question, c); !spelling.empty()) *choice = spelling;
    return measured(e, arguments_of(e, c.arguments, r.facts, key), c.evidence);
}

void add_evidence(ruling& r, const evidence_source& e, json::object found) {
    auto& facts = r.facts.get_object();
    if (!found.contains("absent")) {
        if (!facts.contains("evidence")) facts["evidence"] = json::object{};
        facts["evidence"].get_object()[e.name] = found;
    }
    r.evidence.push_back(std::move(found));
}

// Facts used by checks and scope are measured for every call; the provider caches them.
bool is_judged_by(const spec& s, const evidence_source& e) { return s.judged_evidence.count(e.name) > 0; }

// Whether the extent a call chooses is that of the whole input.
bool covers(const spec& s, const key_argument& geometry, const ruling& r) {
    std::string_view crs;
    for (const auto& k : s.key)
        if (k.crs_of == geometry.name) crs = base::string_member(r.key_arguments, k.name);
    const auto* chosen = r.key_arguments.if_contains(geometry.name);
    return chosen && covers_input(*chosen, crs, r.facts);
}

// The bands a call reads, by their numbers from 1; empty: all.
std::vector<std::size_t> bands_read(const json::value& arguments) {
    std::vector<std::size_t> numbers;
    for (const char* at : {"/bands", "/band"})
        if (const auto* given = base::at_pointer(arguments, at)) {
            const auto add = [&](const json::value& v) {
                if (v.is_number() && v.to_number<double>() >= 1) numbers.push_back(v.to_number<std::size_t>());
            };
            if (const auto* list = given->if_array())
                for (const auto& v : *list) add(v);
            else
                add(*given);
        }
    return numbers;
}

// The kind of a raster is that of the bands the call reads; of several, the one that allows least.
void take_kind_of_bands(json::object& input, const json::value& arguments) {
    const auto* bands = input.if_contains("bands");
    if (!bands || !bands->is_array() || bands->get_array().size() < 2) return;
    const auto& all = bands->get_array();
    const auto read = bands_read(arguments);
    const json::value* chosen = nullptr;
    for (const std::string_view kind : {"class", "qa_bits", "angle", "count", "elevation"})
        for (std::size_t i = 0; i < all.size() && !chosen; ++i)
            if (base::string_member(all[i], "kind") == kind &&
                (read.empty() || std::find(read.begin(), read.end(), i + 1) != read.end()))
                chosen = &all[i];
    if (!chosen && !read.empty() && read.front() <= all.size()) chosen = &all[read.front() - 1];
    if (!chosen) return;
    for (const char* fact : {"kind", "kind_certain", "kind_why"})
        if (const auto* v = base::find_member(*chosen, fact)) input[fact] = json::value(*v);
}

// Of a subdataset that could not be read nothing is known but where the file is.
void keep_what_holds_for(json::value& facts, const json::value& arguments) {
    auto* o = facts.if_object();
    auto* input = o && o->contains("input") ? o->at("input").if_object() : nullptr;
    if (!input) return;
    const auto* part = base::at_pointer(arguments, "/subdataset");
    const auto* known = input->if_contains("subdataset");
    if (is_absent(part) || (known && *known == *part)) return take_kind_of_bands(*input, arguments);
    for (const char* fact : {"bands", "bounds", "bounds_wgs84", "width", "height", "pixel_size", "cell_m"})
        input->erase(fact);
    (*input)["kind"] = unknown_fact;
    (*input)["kind_why"] = "of the subdataset";
    (*input)["crs"] = json::object{{"normal", "of the subdataset"}, {"name", "of the subdataset"}};
}

void read_facts(ruling& r, const inquiry& q) {
    const auto& s = *r.question;
    const auto known = q.facts();
    if (!known) {
        r.notes.push_back("the inputs could not be read" +
                          std::string{r.reason ? "" : ", so the reason counts as needed"} + ": " +
                          known.error().message);
        return;
    }
    auto facts = *known;
    keep_what_holds_for(facts, q.asked.arguments);
    r.facts = with_relations(std::move(facts), q.asked.arguments, s.grid, spelling_of_crs(s, q.asked), q.asked.crs);
    for (const auto& k : s.key)
        if (k.normal.how == form::geometry)
            r.facts.get_object()["extent"] = json::object{{"covers_input", covers(s, k, r)}};
    for (const auto& e : s.evidence)
        if (is_judged_by(s, e) && e.applies_to(q.asked.tool, q.asked.arguments))
            add_evidence(r, e, evidence_now(r, e, q.asked));
}

// The dataset, to be recognised later.
void name_input(ruling& r) {
    const auto* input = base::find_member(r.facts, "input");
    if (!input) return;  // nor if the facts were not read
    json::object o;
    for (const char* member : {"path", "state"})
        if (const auto text = base::string_member(*input, member); !text.empty()) o[member] = text;
    if (!o.empty()) r.situation["input"] = std::move(o);
}

// A fact that an earlier answer for the same dataset stated.
json::object stated_for_this_dataset(const ruling& r) {
    const auto* input = r.situation.if_contains("input");
    if (!r.reason || !input) return {};
    json::object stated;
    for (const auto& situation : r.reason->situations()) {
        const auto* theirs = situation.if_contains("input");
        if (!theirs || base::canonical_json(*theirs) != base::canonical_json(*input)) continue;
        for (const auto* ask : r.asks)
            if (const auto* v = situation.if_contains(ask->name); v && ask->of_dataset) stated[ask->name] = *v;
    }
    return stated;
}

// Statements about the dataset fill in facts its data lacks; from here on they are facts like others.
void overlay(ruling& r, const json::object& stated) {
    for (const auto* ask : r.asks) {
        const auto* word = stated.if_contains(ask->name);
        if (!word || !ask->of_dataset || r.facts.is_null()) continue;
        base::put_at_pointer(r.facts, ask->known_by, *word);
        base::put_at_pointer(r.facts, ask->known_by + "_why", "as stated about the dataset");
    }
}

void describe_situation(ruling& r, const call& c, const json::object& stated) {
    r.situation = situation_of(r.question->scope, r.facts, c.arguments, stated);
    json::array conflicts;
    for (const auto& f : r.findings)
        if (f.outcome == check_outcome::ask) conflicts.emplace_back(f.check);
    if (!conflicts.empty()) r.situation["conflicts"] = std::move(conflicts);
    name_input(r);
}

// ---- does the reason still hold?

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

std::vector<std::string> differences_from(const ruling& r, const json::object& stored) {
    auto scope = r.question->scope;
    std::vector<std::string> found;
    apply_own_conditions(r, stored, scope, found);
    for (auto& d : differences(scope, stored, r.situation)) found.push_back(std::move(d));
    const auto* seen = stored.if_contains("conflicts");
    // A reason that states the kind of values was given in knowledge of it.
    const bool stated_with_it =
        !r.stated.empty() && stored.contains("input") && stored.at("input") == r.situation.at("input");
    for (const auto& f : r.findings) {
        if (f.outcome != check_outcome::ask || stated_with_it) continue;
        const bool known = seen && seen->is_array() &&
                           std::find(seen->get_array().begin(), seen->get_array().end(), json::value(f.check)) !=
                               seen->get_array().end();
        if (!known) found.push_back(f.text);
    }
    return found;
}

bool has_unseen_conflict(const ruling& r) {
    return std::any_of(r.findings.begin(), r.findings.end(), [&](const finding& f) {
        return f.outcome == check_outcome::ask &&
               std::find(r.changed.begin(), r.changed.end(), f.text) != r.changed.end();
    });
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
        return false;
    }
    const json::object* nearest = nullptr;
    for (const auto& stored : situations) {
        auto found = differences_from(r, stored);
        if (nearest && found.size() >= r.changed.size()) continue;
        r.changed = std::move(found);
        nearest = &stored;
    }
    // What blocks is named first.
    const auto strict = far_outside(r, *nearest);
    std::stable_partition(r.changed.begin(), r.changed.end(), [&](const std::string& d) {
        return std::find(strict.begin(), strict.end(), d) != strict.end();
    });
    return !strict.empty();
}

// ---- the decision

void react(ruling& r, reaction how, decision mild) {
    if (how == reaction::warn) {
        if (r.outcome != decision::block && r.outcome != decision::warn) r.outcome = mild;
        return;
    }
    r.outcome = decision::block;
    r.person = r.person || how == reaction::person;
}

// A reason is stored: does it hold?
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
        react(r, r.critical ? reaction::block : p.stale, decision::warn);
        if (r.blocks()) r.changed.push_back(old);
    }
    if (reason.confidence < p.minimum) {
        const auto weak = "its confidence is " + std::string{to_string(reason.confidence)} + ", the policy requires " +
                          std::string{to_string(p.minimum)};
        r.notes.push_back(weak);
        const auto how = r.critical && p.low_confidence == reaction::warn ? reaction::block : p.low_confidence;
        const bool enough = reason.chosen_by == "user" && how == reaction::person;
        if (!enough) react(r, how, decision::warn);
        r.weak = !enough && how != reaction::warn;
        if (r.weak) r.changed.push_back(weak);
    }
    if (!r.orphaned.empty()) {
        r.notes.push_back(r.orphaned);
        r.changed.push_back(r.orphaned);
        react(r, r.critical ? reaction::block : p.revisit, decision::revisit);
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
        react(r, r.critical || far || has_unseen_conflict(r) ? reaction::block : r.policy.revisit, decision::revisit);
    }
    r.changed.insert(r.changed.begin(), already.begin(), already.end());
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

// ---- no choice, or none that matters

// The only method that calls of this tool can choose; empty: there are several, or the spec names it itself, to ask
// about the tool as such.
std::string only_method(const spec& s, const inquiry& q) {
    const auto* arguments = q.schemas ? q.schemas(q.asked.tool) : nullptr;
    const auto sources = s.tools.at(q.asked.tool).find(s.choice);
    const bool chosen =
        sources != s.tools.at(q.asked.tool).end() && sources->second.front().from == key_source::origin::argument;
    const auto all =
        arguments && chosen ? values_of_key(s, *s.find_key(s.choice), q.asked.tool, *arguments) : std::nullopt;
    if (!all) return {};
    std::set<std::string> methods;
    for (const auto& v : *all)
        if (v.is_string() && !v.get_string().empty()) methods.emplace(v.get_string());
    return methods.size() == 1 ? *methods.begin() : std::string{};
}

// What the candidates' results differ by: the largest relative difference measured, and the most that may be neglected.
bool makes_no_difference(ruling& r, const json::value& arguments) {
    for (const auto& e : r.evidence) {
        const auto& sources = r.question->evidence;
        const auto source = std::find_if(sources.begin(), sources.end(), [&](const evidence_source& s) {
            return s.name == base::string_member(e, "name");
        });
        if (source == sources.end() || measures_another(*source, arguments)) continue;
        const auto* spread = base::find_member(e, "spread");
        const auto* relative = spread ? base::find_member(*spread, "relative") : nullptr;
        if (!relative || !relative->is_number()) continue;
        r.spread = spread->get_object();
        const auto* own = base::find_member(*spread, "tolerance");
        double tolerance = r.policy.tolerance;
        if (own && own->is_number()) tolerance = std::min(tolerance, own->to_number<double>());
        // Of values whose kind is unknown each may be a code.
        const bool unknown_kind =
            std::any_of(r.asks.begin(), r.asks.end(), [](const asked_fact* ask) { return ask->of_dataset; });
        return relative->to_number<double>() <= (unknown_kind ? 0 : tolerance);
    }
    return false;
}

// A missing reason is not asked for where there is no other choice, or where no other choice would change the result.
void settle_without_reason(ruling& r, const inquiry& q) {
    if (const auto only = only_method(*r.question, q); !only.empty()) {
        r.outcome = decision::only_option;
        r.notes.push_back(only + " is the only " + r.question->title + " that " + q.asked.tool + " offers");
        return;
    }
    if (r.reason || r.critical || r.person) return;
    measure_evidence(r, q.asked);
    if (!makes_no_difference(r, q.asked.arguments)) return;
    r.outcome = decision::immaterial;
    r.notes.push_back("the candidates differ by no more than the tolerance of " +
                      base::format_number(significant(100 * r.policy.tolerance, 3)) +
                      " %: " + text_of_spread(r.spread));
}

}  // namespace

std::string revoked_parent(const found_record& reason, store& where) {
    for (const auto& parent : reason.text.at("parents").get_array()) {
        const std::string_view key{parent.get_string()};
        if (key == reason.cache_key) continue;  // a confirmed reason is its own parent
        const auto gone = where.revoked(key);
        if (gone && gone->timestamp > reason.last_confirmed)
            return "the reason it builds on, " + gone->ref + ", was revoked on " + gone->timestamp.substr(0, 10);
    }
    return {};
}

std::string own_title(const ruling& r, const call& c) {
    bool open = false;
    const auto here = around(r, c);
    const auto* found = first_that_holds(r.question->title_when, here, open);
    return found ? filled(found->note, here) : std::string{};
}

std::string text_of_spread(const json::object& spread) {
    const auto number = [&](const char* name) {
        const auto* v = spread.if_contains(name);
        return v && v->is_number() ? base::format_number(significant(v->to_number<double>(), 4)) : std::string{"?"};
    };
    const auto text = [&](const char* name) { return std::string{base::string_member(spread, name)}; };
    const auto end = [&](const char* value, const char* by) {
        return number(value) + (text(by).empty() ? "" : " (" + text(by) + ")");
    };
    const auto unit = text("unit").empty() ? "" : " " + text("unit");
    const auto* relative = spread.if_contains("relative");
    const auto apart = relative && relative->is_number()
                           ? base::format_number(significant(100 * relative->to_number<double>(), 2))
                           : std::string{"?"};
    const auto values = number("low") == number("high") ? number("low") + unit + " with each of them"
                                                        : end("low", "low_by") + " to " + end("high", "high_by") + unit;
    return text("what") + " " + values + ", single values up to " + apart + " % apart";
}

result<ruling> judge(const spec& s, const policy& p, const inquiry& q, const std::string& choice) {
    ruling r;
    r.question = &s;
    r.policy = p;
    if (p.off) {
        r.outcome = decision::off;
        r.notes.emplace_back("switched off by the operator's policy: no reason was requested");
        return r;
    }
    bool open = false;
    if (const auto* because = first_that_holds(s.not_needed_when, around(s, q.asked), open))
        return not_needed(std::move(r), *because);
    auto key = key_of_call(s, q.asked.tool, q.asked.arguments, q.facts, q.asked.crs);
    if (!key) return tl::unexpected{key.error()};
    r.key_arguments = std::move(*key);
    if (!choice.empty()) r.key_arguments[s.choice] = choice;
    r.input_hash = cache_key(s.domain, s.question_prompt.hash, r.key_arguments);
    r.question_hash = question_hash(s.domain, r.key_arguments);
    if (const auto* because = first_that_holds(s.not_needed_when, around(r, q.asked), open))
        return not_needed(std::move(r), *because);
    std::string stale;
    find_reason(r, q.where, stale);
    const bool data_count = open || !s.scope.empty() || !s.checks.empty() || !s.critical_when.empty() ||
                            !s.asks.empty() || (!r.reason && !s.evidence.empty());
    if (data_count) read_facts(r, q);
    if (!r.facts.is_null())
        if (const auto* because = first_that_holds(s.not_needed_when, around(r, q.asked), open))
            return not_needed(std::move(r), *because);
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
    describe_situation(r, q.asked, {});
    if (!r.reason) {
        rule_on_missing(r, q);
    } else {
        r.orphaned = revoked_parent(*r.reason, q.where);
        weigh(r, stale, q.now);
        weigh_scope(r);
    }
    if (r.blocks() && !has_conflict(r)) settle_without_reason(r, q);
    if (critical && r.blocks() && !critical->note.empty()) r.notes.push_back("critical: " + critical->note);
    return r;
}

bool measures_another(const evidence_source& e, const json::value& arguments) {
    const auto maps = [&](std::string_view at) {
        return std::any_of(e.arguments.begin(), e.arguments.end(), [&](const auto& a) {
            return std::any_of(a.second.begin(), a.second.end(),
                               [&](const key_source& s) { return std::string_view{s.at}.starts_with(at); });
        });
    };
    for (const char* at : {"/subdataset", "/bands", "/src_crs", "/operation", "/epoch"})
        if (!is_absent(base::at_pointer(arguments, at)) && !maps(at)) return true;
    return bands_read(arguments).size() > 1;
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

void take_answer(ruling& r, const call& c, const json::object& answer, const json::object& stated) {
    overlay(r, stated);
    auto here = around(r, c);
    const json::value given(answer);
    here.answer = &given;
    r.findings = findings_of(r.question->checks, here, r.policy);
    describe_situation(r, c, stated);
}

void measure_evidence(ruling& r, const call& c) {
    if (r.facts.is_null() || !c.evidence) return;
    for (const auto& e : r.question->evidence) {
        if (!e.applies_to(c.tool, c.arguments)) continue;
        const bool known = std::any_of(r.evidence.begin(), r.evidence.end(),
                                       [&](const json::value& v) { return base::string_member(v, "name") == e.name; });
        if (!known) add_evidence(r, e, evidence_now(r, e, c));
    }
}

}  // namespace gdalmcp::reflection
