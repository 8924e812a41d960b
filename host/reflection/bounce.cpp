#include "reflection/bounce.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "reflection/answer.hpp"

namespace gdalmcp::reflection {
namespace {

constexpr std::size_t max_text = 1500;

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
    const auto where = place_of_choice(s, c.tool);
    return "- " + s.domain + ": " + s.title + " " + base::shortened(choice_of(s, r.key_arguments), 60) +
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
    std::size_t evidence = 2;  // lines per domain
    bool questions = true, alternatives = true, skeleton = true;
};

// Measurements, conflicts, changes since an earlier reason; then the question.
std::string domain_lines(const ruling& r, const call& c, const detail& show) {
    std::string text = what_line(r, c);
    std::size_t shown = 0;
    for (const auto& e : r.evidence)
        if (const auto summary = base::string_member(e, "summary"); !summary.empty() && shown < show.evidence) {
            text += "  Measured: " + base::shortened(summary, 220) + "\n";
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

std::string composed(const std::vector<const ruling*>& missing, const call& c, const detail& show) {
    const auto count = missing.size();
    const bool only_old =
        std::all_of(missing.begin(), missing.end(), [](const auto* r) { return r->reason != nullptr; });
    std::string text = "NOT RUN: " + c.tool + ". " +
                       (count == 1 ? "One choice in this call " : std::to_string(count) + " choices in this call ") +
                       (only_old ? (count == 1 ? "needs a second look" : "need a second look")
                                 : (count == 1 ? "has no recorded reason yet" : "have no recorded reason yet")) +
                       ". Nothing was written.\n";
    for (const auto* r : missing) text += domain_lines(*r, c, show);
    const bool person = std::any_of(missing.begin(), missing.end(), [](const auto* r) { return r->person; });
    if (person)
        text += "The operator requires a person's answer: ask the user, and send it with \"chosen_by\": \"user\".\n";
    text += "To go on, send the same call with `justification`, every empty string filled in";
    if (show.skeleton)
        text += ":\n" + base::write_json(skeletons(missing)) + "\n";
    else
        text += "; the object is `retry.arguments.justification` below.\n";
    text += "Or call store_justification once per domain as prepared below, then repeat the call.\n";
    if (std::any_of(missing.begin(), missing.end(), [](const auto* r) { return !r->confirmable(); }))
        text +=
            "choice.method stays equal to the argument; no string stays empty; quote a measured number where there "
            "is one. The user chose already? `if_user_chose` below is enough.\n";
    if (const auto free = alternatives(missing); show.alternatives && !free.empty()) text += free + "\n";
    return text +
           (count == 1 ? "The reason is kept for this workspace and serves"
                       : "The reasons are kept for this workspace and serve") +
           " every later call that makes the same choice on like data.";
}

// Everything that fits; parts repeated in the JSON are dropped first.
std::string text_of(const std::vector<const ruling*>& missing, const call& c) {
    constexpr detail steps[] = {{2, true, true, true},   {1, true, true, true},   {1, true, false, true},
                                {1, true, true, false},  {1, false, true, false}, {1, false, false, false},
                                {0, false, false, false}};
    std::string text;
    for (const auto& show : steps) {
        text = composed(missing, c, show);
        if (text.size() <= max_text) return text;
    }
    return base::shortened(text, max_text);
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
        if (it->value().is_string() && it->value().get_string().empty())
            it = arguments.erase(it);
        else
            ++it;
    return arguments;
}

}  // namespace

// The other steps of the plan, ready to be answered in advance; the step at hand is left out.
static json::array plan_of(const ruling& r, const call& c) {
    json::array out;
    const auto& s = *r.question;
    for (const auto& step : s.plan) {
        const bool at_hand = std::all_of(step.prompt_args.begin(), step.prompt_args.end(), [&](const auto& a) {
            const auto* here = r.key_arguments.if_contains(a.key());
            return here && *here == a.value();
        });
        if (at_hand) continue;
        auto prompt_args = step.prompt_args;
        prompt_args[s.choice] = "";
        out.push_back(json::object{
            {"step", step.title},
            {"one_of", json::array(step.one_of.begin(), step.one_of.end())},
            {"submit", json::object{{"tool", "store_justification"},
                                    {"arguments", json::object{{"domain", s.domain},
                                                               {"prompt_args", std::move(prompt_args)},
                                                               {"tool_name", c.tool},
                                                               {"parents", json::array{r.input_hash}},
                                                               {"justification", answer_skeleton("", {})}}}}}});
    }
    return out;
}

json::object missing_entry(const ruling& r, const call& c) {
    const auto& s = *r.question;
    const auto choice = choice_of(s, r.key_arguments);
    json::object entry{{"domain", s.domain},
                       {"risk_class", s.risk},
                       {"input_hash", r.input_hash},
                       {"prompt_hash", s.question_prompt.hash},
                       {"prompt_name", s.question_prompt.name},
                       {"prompt_args", r.key_arguments},
                       {"question", s.question_prompt.render(question_values(s, r.key_arguments))}};
    if (!s.nudge.empty()) entry["nudge"] = s.nudge;
    if (!r.evidence.empty()) entry["evidence"] = r.evidence;
    if (!r.findings.empty()) entry["conflicts"] = conflicts_of(r);
    if (r.critical) entry["critical"] = true;
    if (r.person) entry["person"] = true;
    if (r.reason) {
        entry["earlier"] = earlier_of(*r.reason);
        entry["changed"] = json::array(r.changed.begin(), r.changed.end());
    }
    entry["answer_schema"] = r.confirmable() ? confirmation_schema(asked_of_dataset(r), r.conflicts())
                                             : answer_schema(choice, r.asks, r.conflicts());
    if (!r.confirmable()) entry["if_user_chose"] = user_skeleton(choice, r.asks, r.conflicts());
    if (!s.methodology.empty()) entry["methodology_ref"] = "methodology://" + s.domain;
    entry["schema_ref"] = "schema://justification";
    json::object arguments{{"domain", s.domain},
                           {"prompt_args", without_empty(r.key_arguments)},
                           {"tool_name", c.tool},
                           {"prompt_name", s.question_prompt.name}};
    if (!r.situation.empty()) arguments["scope"] = r.situation;
    arguments["justification"] = skeleton_of(r);
    entry["submit"] = json::object{{"tool", "store_justification"}, {"arguments", std::move(arguments)}};
    if (auto plan = plan_of(r, c); !plan.empty()) entry["plan"] = std::move(plan);
    return entry;
}

json::object retry_of(const verdict& v, const call& c) {
    json::object arguments;
    if (const auto* given = c.arguments.if_object()) arguments = *given;
    arguments["justification"] = skeletons(blocked(v));
    return {{"tool", c.tool}, {"arguments", std::move(arguments)}};
}

refusal bounce(const verdict& v, const call& c) {
    const auto missing = blocked(v);
    json::array entries;
    std::string domains;
    bool old = true;
    for (const auto* r : missing) {
        entries.push_back(missing_entry(*r, c));
        domains += (domains.empty() ? "" : ", ") + r->question->domain;
        old = old && r->reason;
    }
    return {
        text_of(missing, c),
        {{"ok", false},
         {"error", base::code::needs_justification},
         {"message", c.tool + " was not run: " +
                         (old ? "the recorded reason does not hold here for " : "no recorded reason for ") + domains},
         {"hint", "send `retry` with every empty string filled in, or call each `submit` and repeat the call"},
         {"tool", c.tool},
         {"missing", std::move(entries)},
         {"retry", retry_of(v, c)}}};
}

}  // namespace gdalmcp::reflection
