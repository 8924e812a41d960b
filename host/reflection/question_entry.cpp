#include "reflection/question_entry.hpp"

#include <algorithm>

#include "base/pointer.hpp"
#include "base/text.hpp"
#include "reflection/answer.hpp"
#include "reflection/digits.hpp"
#include "reflection/long_text.hpp"
#include "reflection/prose.hpp"

namespace gdalmcp::reflection {
namespace {

constexpr std::size_t max_figures = 8;

// The earlier answer said the rest.
std::vector<const asked_fact*> asked_of_dataset(const ruling& r) {
    std::vector<const asked_fact*> out;
    for (const auto* ask : r.asks)
        if (ask->of_dataset) out.push_back(ask);
    return out;
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

// The other steps of the plan, to be answered in advance, without those that are. None for a call that is no step of
// it, because it makes all choices of the plan at once.
std::vector<const planned_step*> further_steps(const ruling& r) {
    std::vector<const planned_step*> out;
    bool is_a_step = false;
    for (const auto& step : r.question->plan) {
        const bool at_hand = std::all_of(step.prompt_args.begin(), step.prompt_args.end(), [&](const auto& a) {
            const auto* here = r.key_arguments.if_contains(a.key());
            return here && *here == a.value();
        });
        is_a_step = is_a_step || at_hand;
        if (!at_hand && std::find(r.answered.begin(), r.answered.end(), &step) == r.answered.end())
            out.push_back(&step);
    }
    return is_a_step ? out : std::vector<const planned_step*>{};
}

json::object text_of_step(const planned_step& step) {
    return {{"step", step.title},
            {"prompt_args", step.prompt_args},
            {"one_of", json::array(step.one_of.begin(), step.one_of.end())}};
}

// What both forms of an entry have.
json::object entry_of(const ruling& r) {
    const auto& s = *r.question;
    json::object entry{{"domain", s.domain},
                       {"risk_class", s.risk},
                       {"input_hash", r.input_hash},
                       {"prompt_hash", s.question_prompt.hash},
                       {"prompt_name", s.question_prompt.name},
                       {"prompt_args", r.key_arguments},
                       {"question", r.line}};
    if (r.critical) entry["critical"] = true;
    if (r.person) entry["person"] = true;
    if (r.reason) entry["changed"] = json::array(r.changed.begin(), r.changed.end());
    return entry;
}

// Of a long name, what tells files apart: Landbedeckung_No…_endgueltig.tif
std::string its_ends(const std::string& name) {
    constexpr std::size_t short_enough = 40, part = 16;
    if (name.size() <= short_enough) return name;
    auto rest = name.size() - part;
    while ((static_cast<unsigned char>(name[rest]) & 0xC0) == 0x80) ++rest;
    return base::shortened(name, part + 3) + name.substr(rest);
}

// Its empty justification is the skeleton in the call's `retry`.
json::object submit_of(const ruling& r, const call& c, std::size_t most) {
    auto prompt_args = without_empty(r.key_arguments);
    leave_out_long(prompt_args, most);
    json::object arguments{
        {"domain", r.question->domain}, {"prompt_args", std::move(prompt_args)}, {"tool_name", c.tool}};
    if (!r.situation.empty()) arguments["scope"] = r.situation;
    arguments["justification"] = json::object{};
    return {{"tool", "store_justification"}, {"arguments", std::move(arguments)}};
}

// With the answer at hand as its parent.
json::object submit_of_step(const planned_step& step, const ruling& r, const call& c) {
    auto prompt_args = step.prompt_args;
    prompt_args[r.question->choice] = "";
    auto o = text_of_step(step);
    o["submit"] = json::object{{"tool", "store_justification"},
                               {"arguments", json::object{{"domain", r.question->domain},
                                                          {"prompt_args", std::move(prompt_args)},
                                                          {"tool_name", c.tool},
                                                          {"parents", json::array{r.input_hash}},
                                                          {"justification", json::object{}}}}};
    return o;
}

void add_references(json::object& entry, const spec& s) {
    if (!s.methodology.empty()) entry["methodology_ref"] = "methodology://" + s.domain;
    entry["schema_ref"] = "schema://justification";
}

json::object schema_of(const ruling& r) {
    return r.confirmable() ? confirmation_schema(asked_of_dataset(r), r.conflicts())
                           : answer_schema(choice_of(*r.question, r.key_arguments), r.asks, r.conflicts());
}

// The first numbers of a measurement: its own, and those of its records as "record.member".
json::object figures_of(const json::object& measured) {
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

json::array short_evidence(const ruling& r, extras show) {
    json::array out;
    for (const auto& e : r.evidence) {
        json::object o{{"name", e.at("name")}};
        if (const auto absent = base::string_member(e, "absent"); !absent.empty()) {
            o["absent"] = base::shortened(absent, 160);
        } else {
            o["summary"] = whole_clauses(base::string_member(e, "summary"), show < extras::short_summary ? 160 : 80);
            if (show < extras::no_figures) o["figures"] = figures_of(e.get_object());
            if (show == extras::all) o["source"] = base::shortened(base::string_member(e, "source"), 120);
        }
        out.push_back(std::move(o));
    }
    return out;
}

// What changed since the earlier reason, without what is said as a conflict.
void leave_out_conflicts(json::object& entry, const std::vector<finding>& findings) {
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

json::object short_spread(const ruling& r) {
    json::value spread = r.spread;
    round_numbers(spread, 4);
    for (const char* member : {"candidates", "tolerance"}) spread.get_object().erase(member);
    return spread.get_object();
}

// As measured, and each fact once.
json::array whole_evidence(const ruling& r) {
    auto all = r.evidence;
    for (auto& e : all)
        if (auto& o = e.get_object(); base::string_member(o, "tool") == base::string_member(o, "name")) o.erase("tool");
    return all;
}

}  // namespace

json::object skeleton_of(const ruling& r) {
    return r.confirmable() ? confirmation_skeleton(asked_of_dataset(r), r.conflicts())
                           : answer_skeleton(choice_of(*r.question, r.key_arguments), r.asks, r.conflicts());
}

std::string in_few_words(const ruling& r, const finding& f, std::size_t most) {
    if (f.text.size() <= most) return f.text;
    auto text = f.text;
    const auto* input = base::find_member(r.facts, "input");
    const std::string path{input ? base::string_member(*input, "path") : ""};
    const auto put = [&](const std::string& before, const std::string& name) {
        if (const auto at = before.empty() ? std::string::npos : text.find(before); at != std::string::npos)
            text.replace(at, before.size(), name);
        return text.size() <= most;
    };
    const auto name = file_name(path);
    if (put(path, name)) return text;
    if (put(name, its_ends(name))) return text;
    // Not within a figure.
    const auto blank = text.rfind(' ', most > 3 ? most - 3 : 0);
    return blank == std::string::npos ? base::shortened(text, most) : text.substr(0, blank) + "…";
}

json::object missing_entry(const ruling& r, const call& c, bool explained) {
    const auto& s = *r.question;
    auto entry = entry_of(r);
    leave_out_long(entry["prompt_args"].get_object(), most_repeated_whole);
    if (!s.nudge.empty()) entry["nudge"] = s.nudge;
    if (!r.evidence.empty()) entry["evidence"] = whole_evidence(r);
    if (!r.findings.empty()) entry["conflicts"] = conflicts_of(r);
    if (r.reason) entry["earlier"] = earlier_of(*r.reason);
    entry["answer_schema"] = explained ? schema_of(r) : without_remarks(schema_of(r));
    add_references(entry, s);
    entry["submit"] = submit_of(r, c, most_repeated_whole);
    json::array plan;
    for (const auto* step : further_steps(r)) plan.push_back(submit_of_step(*step, r, c));
    if (!plan.empty()) entry["plan"] = std::move(plan);
    return entry;
}

json::object short_entry(const ruling& r, const call& c, extras show) {
    auto entry = entry_of(r);
    const bool paths = show < extras::no_paths;
    leave_out_long(entry["prompt_args"].get_object(), paths ? 200 : 60);  // `submit` holds longer ones
    if (!r.spread.empty()) entry["spread"] = short_spread(r);
    if (!r.evidence.empty() && show < extras::no_evidence) entry["evidence"] = short_evidence(r, show);
    if (show < extras::none && !r.findings.empty()) {
        json::array conflicts;
        const std::size_t most = show < extras::short_conflicts ? std::string::npos : 80;
        for (const auto& f : r.findings)
            conflicts.push_back(json::object{{"check", f.check}, {"text", in_few_words(r, f, most)}});
        entry["conflicts"] = std::move(conflicts);
    }
    leave_out_conflicts(entry, r.findings);  // the text above has them in any case
    if (show >= extras::no_references) entry.erase("changed");
    if (r.reason) entry["justification_ref"] = r.justification_ref();
    entry["answer_schema"] = without_remarks(schema_of(r));
    entry["answer_schema"].at("properties").get_object().erase("chosen_by");  // the text says when to add it
    add_references(entry, *r.question);
    if (show >= extras::no_schema_ref) entry.erase("schema_ref");
    if (show >= extras::no_references) entry.erase("methodology_ref");
    if (auto* method = base::at_pointer(entry["answer_schema"], "/properties/choice/properties/method");
        method && !paths)
        *method = json::object{};  // which `retry` has filled in
    entry["submit"] = submit_of(r, c, most_repeated);
    // A reason without a scope takes the facts of the first call that needs it, but answers no conflict.
    if (!paths && r.findings.empty() && !r.confirmable()) entry["submit"].at("arguments").get_object().erase("scope");
    json::array plan;
    if (show <= extras::no_source)
        for (const auto* step : further_steps(r)) plan.push_back(text_of_step(*step));
    if (!plan.empty()) entry["plan"] = std::move(plan);
    return entry;
}

}  // namespace gdalmcp::reflection
