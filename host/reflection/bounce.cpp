#include "reflection/bounce.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "reflection/answer.hpp"
#include "reflection/digits.hpp"
#include "reflection/judge.hpp"

namespace gdalmcp::reflection {
namespace {

// Of the text in characters, of the JSON in bytes; for the first domain, and for each further one.
constexpr std::size_t max_text = 1000, more_text = 400, max_body = 2200;
constexpr std::size_t max_figures = 8;
constexpr std::size_t most_given = 400;  // bytes that a caller writes who gives no outline

std::vector<const ruling*> blocked(const verdict& v) {
    std::vector<const ruling*> out;
    for (const auto& r : v.rulings)
        if (r.blocks()) out.push_back(&r);
    return out;
}

// The argument that holds the choice: "/dst_crs".
std::string place_of_choice(const spec& s, const std::string& tool) {
    const auto mapped = s.tools.find(tool);
    if (mapped == s.tools.end()) return {};
    const auto sources = mapped->second.find(s.choice);
    if (sources == mapped->second.end()) return {};
    for (const auto& source : sources->second)
        if (source.from == key_source::origin::argument) return source.at.substr(1);
    return {};
}

std::string what_line(const ruling& r, const call& c) {
    const auto& s = *r.question;
    if (!r.title.empty()) return "- " + s.domain + ": " + base::shortened(r.title, 80) + "\n";
    const auto where = place_of_choice(s, c.tool);
    auto choice = choice_of(s, r.key_arguments);
    if (const auto given = base::string_member(c.arguments, where); is_projjson_hash(choice) && !given.empty())
        choice = given;
    return "- " + s.domain + ": " + s.title + " " + base::shortened(choice, 60) +
           (where.empty() ? "" : " (" + where + ")") + "\n";
}

// The earlier answer said the rest.
std::vector<const asked_fact*> asked_of_dataset(const ruling& r) {
    std::vector<const asked_fact*> out;
    for (const auto* ask : r.asks)
        if (ask->of_dataset) out.push_back(ask);
    return out;
}

json::object skeleton_of(const ruling& r) {
    return r.confirmable() ? confirmation_skeleton(asked_of_dataset(r), r.conflicts())
                           : answer_skeleton(choice_of(*r.question, r.key_arguments), r.asks, r.conflicts());
}

json::object skeletons(const std::vector<const ruling*>& missing) {
    json::object o;
    for (const auto* r : missing) o[r->question->domain] = skeleton_of(*r);
    return o;
}

std::string alternatives(const std::vector<const ruling*>& missing) {
    std::string out;
    for (const auto* r : missing)
        if (const auto& line = r->question->alternative; !line.empty() && out.find(line) == std::string::npos)
            out += (out.empty() ? "" : " ") + line;
    return out;
}

struct detail {
    std::size_t evidence = 2;    // lines per domain
    std::size_t measured = 220;  // characters of one
    bool questions = true, alternatives = true, kept = true;
};

// What the choice changes, measurements, conflicts, changes since an earlier reason; then the question.
std::string domain_lines(const ruling& r, const call& c, const detail& show) {
    std::string text = what_line(r, c);
    if (!r.spread.empty()) text += "  It matters here: " + text_of_spread(r.spread) + ".\n";
    std::size_t shown = 0;
    for (const auto& e : r.evidence)
        if (const auto summary = base::string_member(e, "summary"); !summary.empty() && shown < show.evidence) {
            text += "  Measured: " + base::shortened(summary, show.measured) + "\n";
            ++shown;
        }
    for (const auto& f : r.findings)
        text += "  Conflict: " + f.text + "." + (f.advice.empty() ? "" : " " + f.advice + ".") + "\n";
    if (!r.conflicts().empty()) text += "  Say in `conflicts` why the choice is right all the same, or change it.\n";
    if (r.reason) {
        text += "  A reason of " + r.reason->timestamp.substr(0, 10) + " is stored: \"" +
                base::shortened(base::string_member(r.reason->answer(), "intent"), 90) +
                "\". Since then: " + base::shortened(r.changed.empty() ? "" : r.changed.front(), 160) + ".\n";
        if (r.confirmable()) return text + "  Does it hold here, too? One sentence is enough.\n";
    }
    if (show.questions) text += "  " + r.question->question + "\n";
    for (const auto* ask : r.asks) {
        std::string words;
        for (const auto& word : ask->one_of) words += (words.empty() ? "" : ", ") + word;
        text += "  Give as facts." + ask->name + " " + ask->about + ": " + words + ".\n";
    }
    return text;
}

// Why the answer that came with the call is not enough; empty: none came, or that is not known.
std::string shortcoming_of(const ruling& r, const call& c) {
    if (!base::find_member(c.justification, r.question->domain)) return {};
    return !r.insufficient.empty()          ? r.insufficient
           : r.reason && !r.changed.empty() ? r.changed.front()
                                            : std::string{};
}

// "One choice in this call has no recorded reason yet"
std::string what_is_missing(const std::vector<const ruling*>& missing, const call& c) {
    const auto count = missing.size();
    const auto all = [&](auto holds) { return std::all_of(missing.begin(), missing.end(), holds); };
    if (all([](const auto* r) { return !r->unnamed.empty(); })) {
        std::string names;
        for (const auto* r : missing) names += (names.empty() ? "" : ", ") + r->unnamed;
        return "The answer does not name a conflict of choice and data in `conflicts`: " + names;
    }
    std::string shortcomings;
    for (const auto* r : missing)
        if (const auto why = shortcoming_of(*r, c); !why.empty())
            shortcomings += (shortcomings.empty() ? "" : "; ") + r->question->domain + ": " + why;
    if (!shortcomings.empty()) return "The answer is not enough: " + base::shortened(shortcomings, 200);
    const std::string choices =
        count == 1 ? "One choice in this call " : std::to_string(count) + " choices in this call ";
    if (all([](const auto* r) { return r->reason != nullptr; }))
        return choices + (count == 1 ? "needs a second look" : "need a second look");
    return choices + (count == 1 ? "has no recorded reason yet" : "have no recorded reason yet");
}

std::string composed(const std::vector<const ruling*>& missing, const call& c, const detail& show) {
    const auto count = missing.size();
    std::string text = "NOT RUN: " + c.tool + ". " + what_is_missing(missing, c) + ". Nothing was written.\n";
    for (const auto* r : missing) text += domain_lines(*r, c, show);
    const bool person = std::any_of(missing.begin(), missing.end(), [](const auto* r) { return r->person; });
    if (person)
        text += "The operator requires a person's answer: ask the user, and send it with \"chosen_by\": \"user\".\n";
    text += std::string{"To go on, fill in every empty string in `retry` below and send it"} +
            (count == 1 ? "" : ", or each answer alone by its `submit`") + ".\n";
    if (std::any_of(missing.begin(), missing.end(), [](const auto* r) { return !r->confirmable(); }))
        text +=
            "choice.method stays equal to the argument; quote a measured number where there is one. The user chose "
            "already? Add \"chosen_by\": \"user\"; alternatives may then be [].\n";
    if (const auto free = alternatives(missing); show.alternatives && !free.empty()) text += free + "\n";
    if (show.kept) text += "Stored for this workspace: the same choice on similar data is not asked again.";
    if (text.back() == '\n') text.pop_back();
    return text;
}

// Everything that fits; parts repeated in the JSON are dropped first, the question last.
std::string text_of(const std::vector<const ruling*>& missing, const call& c) {
    constexpr detail steps[] = {{2, 220, true, true, true},  {1, 220, true, true, true}, {1, 140, true, true, true},
                                {1, 140, true, false, true}, {1, 80, true, false, true}, {1, 80, true, false, false},
                                {0, 0, true, false, false},  {0, 0, false, false, false}};
    const auto limit = max_text + more_text * (missing.size() - 1);
    std::string text;
    for (const auto& show : steps) {
        text = composed(missing, c, show);
        if (text.size() <= limit) return text;
    }
    return base::shortened(text, limit);
}

json::array conflicts_of(const ruling& r) {
    json::array out;
    for (const auto& f : r.findings) {
        json::object o{{"check", f.check}, {"text", f.text}};
        if (!f.advice.empty()) o["advice"] = f.advice;
        out.push_back(std::move(o));
    }
    return out;
}

json::object earlier_of(const record& r) {
    return {{"justification_ref", r.ref()},
            {"timestamp", r.timestamp},
            {"chosen_by", r.chosen_by},
            {"intent", r.answer().at("intent")},
            {"choice", r.answer().at("choice")}};
}

// An agent fills in every empty string of a submission; an absent purpose must not look like one.
json::object without_empty(json::object arguments) {
    for (auto it = arguments.begin(); it != arguments.end();)
        if (it->value().is_null() || (it->value().is_string() && it->value().get_string().empty()))
            it = arguments.erase(it);
        else
            ++it;
    return arguments;
}

}  // namespace

// The other steps of the plan, to be answered in advance; the step at hand is left out.
static std::vector<const planned_step*> further_steps(const ruling& r) {
    std::vector<const planned_step*> out;
    for (const auto& step : r.question->plan) {
        const bool at_hand = std::all_of(step.prompt_args.begin(), step.prompt_args.end(), [&](const auto& a) {
            const auto* here = r.key_arguments.if_contains(a.key());
            return here && *here == a.value();
        });
        if (!at_hand) out.push_back(&step);
    }
    return out;
}

static json::object text_of_step(const planned_step& step) {
    return {{"step", step.title},
            {"prompt_args", step.prompt_args},
            {"one_of", json::array(step.one_of.begin(), step.one_of.end())}};
}

// What both forms of an entry have.
static json::object entry_of(const ruling& r, std::string question) {
    const auto& s = *r.question;
    json::object entry{{"domain", s.domain},
                       {"risk_class", s.risk},
                       {"input_hash", r.input_hash},
                       {"prompt_hash", s.question_prompt.hash},
                       {"prompt_name", s.question_prompt.name},
                       {"prompt_args", r.key_arguments},
                       {"question", std::move(question)}};
    if (!r.spread.empty()) {
        json::value spread = r.spread;
        round_numbers(spread, 4);
        entry["spread"] = std::move(spread);
    }
    if (r.critical) entry["critical"] = true;
    if (r.person) entry["person"] = true;
    if (r.reason) entry["changed"] = json::array(r.changed.begin(), r.changed.end());
    return entry;
}

static json::object submit_of(const ruling& r, const call& c, json::object justification) {
    json::object arguments{
        {"domain", r.question->domain}, {"prompt_args", without_empty(r.key_arguments)}, {"tool_name", c.tool}};
    if (!r.situation.empty()) arguments["scope"] = r.situation;
    arguments["justification"] = std::move(justification);
    return {{"tool", "store_justification"}, {"arguments", std::move(arguments)}};
}

static void add_references(json::object& entry, const spec& s) {
    if (!s.methodology.empty()) entry["methodology_ref"] = "methodology://" + s.domain;
    entry["schema_ref"] = "schema://justification";
}

static json::object schema_of(const ruling& r) {
    return r.confirmable() ? confirmation_schema(asked_of_dataset(r), r.conflicts())
                           : answer_schema(choice_of(*r.question, r.key_arguments), r.asks, r.conflicts());
}

json::object missing_entry(const ruling& r, const call& c) {
    const auto& s = *r.question;
    auto entry = entry_of(r, s.question_prompt.render(question_values(s, r.key_arguments)));
    if (!s.nudge.empty()) entry["nudge"] = s.nudge;
    if (!r.evidence.empty()) entry["evidence"] = r.evidence;
    if (!r.findings.empty()) entry["conflicts"] = conflicts_of(r);
    if (r.reason) entry["earlier"] = earlier_of(*r.reason);
    entry["answer_schema"] = schema_of(r);
    add_references(entry, s);
    entry["submit"] = submit_of(r, c, skeleton_of(r));
    json::array plan;
    for (const auto* step : further_steps(r)) {
        auto prompt_args = step->prompt_args;
        prompt_args[s.choice] = "";
        plan.push_back(text_of_step(*step));
        plan.back().get_object()["submit"] =
            json::object{{"tool", "store_justification"},
                         {"arguments", json::object{{"domain", s.domain},
                                                    {"prompt_args", std::move(prompt_args)},
                                                    {"tool_name", c.tool},
                                                    {"parents", json::array{r.input_hash}},
                                                    {"justification", answer_skeleton("", {})}}}};
    }
    if (!plan.empty()) entry["plan"] = std::move(plan);
    return entry;
}

// The first numbers of a measurement: its own, and those of its records as "record.member".
static json::object figures_of(const json::object& measured) {
    json::object out;
    const auto take = [&](const std::string& name, const json::value& v) {
        if (!v.is_number() || out.size() >= max_figures) return;
        out[name] = v;
    };
    for (const auto& m : measured)
        if (const auto* record = m.value().if_object(); record && m.key() != "spread")
            for (const auto& inner : *record)
                take(std::string{m.key()} + "." + std::string{inner.key()}, inner.value());
        else
            take(std::string{m.key()}, m.value());
    json::value rounded = std::move(out);
    round_numbers(rounded, 4);
    return rounded.get_object();
}

// What a short entry holds beside the question; the text and preflight say the rest. no_figures: nor a plan; none: nor
// conflicts, which the answer_schema still names.
enum class extras { all, no_source, no_figures, short_summary, no_evidence, short_conflicts, none };

static json::array short_evidence(const ruling& r, extras show) {
    json::array out;
    for (const auto& e : r.evidence) {
        json::object o{{"name", e.at("name")}};
        if (const auto absent = base::string_member(e, "absent"); !absent.empty()) {
            o["absent"] = base::shortened(absent, 160);
        } else {
            o["summary"] = base::shortened(base::string_member(e, "summary"), show < extras::short_summary ? 160 : 80);
            if (show < extras::no_figures) o["figures"] = figures_of(e.get_object());
            if (show == extras::all) o["source"] = base::shortened(base::string_member(e, "source"), 120);
        }
        out.push_back(std::move(o));
    }
    return out;
}

// What changed since the earlier reason, without what is said as a conflict.
static void leave_out_conflicts(json::object& entry, const std::vector<finding>& findings) {
    if (!entry.contains("changed")) return;
    json::array rest;
    for (const auto& line : entry["changed"].get_array())
        if (std::none_of(findings.begin(), findings.end(),
                         [&](const finding& f) { return line == json::value(f.text); }))
            rest.push_back(line);
    if (rest.empty())
        entry.erase("changed");
    else
        entry["changed"] = std::move(rest);
}

// An outline of many corners is whole in `submit` and in `retry`, which are sent as they are; here it says its size.
static void leave_out_long_values(json::object& entry) {
    constexpr std::size_t longest = 200;
    for (auto& m : entry["prompt_args"].get_object())
        if (const auto size = base::write_json(m.value()).size(); size > longest)
            m.value() = std::to_string(size) + " bytes, as in submit";
}

static json::object short_entry(const ruling& r, const call& c, extras show) {
    auto entry = entry_of(r, r.question->question);
    leave_out_long_values(entry);
    if (auto* spread = entry.if_contains("spread"))
        for (const char* member : {"candidates", "tolerance"}) spread->get_object().erase(member);
    if (!r.evidence.empty() && show < extras::no_evidence) entry["evidence"] = short_evidence(r, show);
    if (show != extras::none && !r.findings.empty()) {
        json::array conflicts;
        const std::size_t most = show < extras::short_conflicts ? std::string::npos : 80;
        for (const auto& f : r.findings)
            conflicts.push_back(json::object{{"check", f.check}, {"text", base::shortened(f.text, most)}});
        entry["conflicts"] = std::move(conflicts);
        leave_out_conflicts(entry, r.findings);
    }
    if (r.reason) entry["justification_ref"] = r.justification_ref();
    entry["answer_schema"] = without_remarks(schema_of(r));
    entry["answer_schema"].at("properties").get_object().erase("chosen_by");  // the text says when to add it
    add_references(entry, *r.question);
    entry["submit"] = submit_of(r, c, {});
    json::array plan;
    if (show <= extras::no_source)
        for (const auto* step : further_steps(r)) plan.push_back(text_of_step(*step));
    if (!plan.empty()) entry["plan"] = std::move(plan);
    return entry;
}

static const json::value& given_arguments(const call& c) { return c.given.is_null() ? c.arguments : c.given; }

json::object retry_of(const verdict& v, const call& c) {
    json::object arguments;
    if (const auto* given = given_arguments(c).if_object()) arguments = *given;
    arguments["justification"] = skeletons(blocked(v));
    return {{"tool", c.tool}, {"arguments", std::move(arguments)}};
}

static json::object body_of(const verdict& v, const call& c, extras show) {
    const auto missing = blocked(v);
    json::array entries;
    std::string domains;
    bool old = true, person = false;
    for (const auto* r : missing) {
        person = person || r->person;
        entries.push_back(short_entry(*r, c, show));
        domains += (domains.empty() ? "" : ", ") + r->question->domain;
        old = old && r->reason;
    }
    return {
        {"ok", false},
        {"error", base::code::needs_justification},
        {"message", c.tool + " was not run: " +
                        (old ? "the recorded reason does not hold here for " : "no recorded reason for ") + domains},
        {"hint", person ? "ask the user, then fill in `retry`, with \"chosen_by\": \"user\", and send it"
                        : "fill in `retry` and send it"},
        {"tool", c.tool},
        {"missing", std::move(entries)},
        {"retry", retry_of(v, c)}};
}

// Bytes that the caller wrote: the arguments, and those that came into the key.
static std::size_t given_size(const std::vector<const ruling*>& missing, const call& c) {
    auto given = base::write_json(given_arguments(c)).size();
    for (const auto* r : missing) given += 2 * base::write_json(r->key_arguments).size();
    return given;
}

refusal bounce(const verdict& v, const call& c) {
    const auto missing = blocked(v);
    // An outline has no limit, and costs the conflicts no place.
    const auto given = given_size(missing, c);
    const auto limit = max_body * missing.size() + (given > most_given ? given : 0);
    json::object body;
    for (const auto show : {extras::all, extras::no_source, extras::no_figures, extras::short_summary,
                            extras::no_evidence, extras::short_conflicts, extras::none}) {
        body = body_of(v, c, show);
        if (base::write_json(body).size() <= limit) break;
    }
    return {text_of(missing, c), std::move(body)};
}

}  // namespace gdalmcp::reflection
