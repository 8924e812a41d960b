#include "reflection/bounce.hpp"

#include "base/text.hpp"
#include "reflection/answer.hpp"

namespace gdalmcp::reflection {
namespace {

constexpr std::size_t longest_text = 1500;

std::string shortened(const std::string& s, std::size_t most) {
    return s.size() <= most ? s : base::scrub_utf8(s.substr(0, most - 3)) + "...";
}

std::vector<const ruling*> blocked(const verdict& v) {
    std::vector<const ruling*> out;
    for (const auto& r : v.rulings)
        if (r.outcome == decision::block) out.push_back(&r);
    return out;
}

// The argument the choice is made in: "/dst_crs".
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
    return "- " + s.domain + ": " + s.title + " " + shortened(choice_of(s, r.key_arguments), 60) +
           (where.empty() ? "" : " (" + where + ")") + "\n";
}

json::object skeletons(const std::vector<const ruling*>& missing) {
    json::object o;
    for (const auto* r : missing) o[r->question->domain] = answer_skeleton(choice_of(*r->question, r->key_arguments));
    return o;
}

std::string way_outs(const std::vector<const ruling*>& missing) {
    std::string out;
    for (const auto* r : missing)
        if (const auto& line = r->question->way_out; !line.empty() && out.find(line) == std::string::npos)
            out += (out.empty() ? "" : " ") + line;
    return out;
}

struct detail {
    bool nudges = true, way_outs = true, skeleton = true, questions = true;
};

std::string composed(const std::vector<const ruling*>& missing, const call& c, const detail& show) {
    const auto count = missing.size();
    std::string text =
        "NOT RUN: " + c.tool + ". " +
        (count == 1 ? "One choice in this call has" : std::to_string(count) + " choices in this call have") +
        " no recorded reason yet. Nothing was written.\n";
    for (const auto* r : missing) {
        text += what_line(*r, c);
        if (show.questions) text += "  " + r->question->question + "\n";
        if (show.nudges && !r->question->nudge.empty()) text += "  " + r->question->nudge + "\n";
    }
    text += "To go on, send the same call with `justification`, every empty string filled in";
    if (show.skeleton)
        text += ":\n" + base::write_json(skeletons(missing)) + "\n";
    else
        text += "; the object is `retry.arguments.justification` below.\n";
    text +=
        "Or call store_justification once per domain as prepared below, then repeat the call.\n"
        "choice.method stays equal to the argument; no string stays empty; quote a measured number where there is one. "
        "The user chose already? Add \"chosen_by\": \"user\"; alternatives may then be [].\n";
    if (const auto free = way_outs(missing); show.way_outs && !free.empty()) text += free + "\n";
    return text + (count == 1 ? "The reason is" : "The reasons are") +
           " kept for this workspace and serve every later call that makes the same choice.";
}

// Everything that fits; what is dropped first is what the JSON repeats.
std::string text_of(const std::vector<const ruling*>& missing, const call& c) {
    constexpr detail steps[] = {{true, true, true, true},
                                {false, true, true, true},
                                {false, true, false, true},
                                {false, false, false, true},
                                {false, false, false, false}};
    std::string text;
    for (const auto& show : steps) {
        text = composed(missing, c, show);
        if (text.size() <= longest_text) return text;
    }
    return shortened(text, longest_text);
}

// An agent fills in every empty string of a submission; an absent purpose is no place for it.
json::object without_empty(json::object arguments) {
    for (auto it = arguments.begin(); it != arguments.end();)
        if (it->value().is_string() && it->value().get_string().empty())
            it = arguments.erase(it);
        else
            ++it;
    return arguments;
}

}  // namespace

json::object missing_entry(const ruling& r, const call& c) {
    const auto& s = *r.question;
    const auto choice = choice_of(s, r.key_arguments);
    json::object entry{{"domain", s.domain},
                       {"risk_class", s.risk},
                       {"input_hash", r.input_hash},
                       {"prompt_hash", s.question_prompt.hash},
                       {"prompt_name", s.question_prompt.name},
                       {"prompt_args", r.key_arguments},
                       {"question", s.question_prompt.render(question_values(s, r.key_arguments))},
                       {"answer_schema", answer_schema(choice)}};
    if (!s.methodology.empty()) entry["methodology_ref"] = "methodology://" + s.domain;
    entry["schema_ref"] = "schema://justification";
    entry["submit"] = json::object{{"tool", "store_justification"},
                                   {"arguments", json::object{{"domain", s.domain},
                                                              {"prompt_args", without_empty(r.key_arguments)},
                                                              {"tool_name", c.tool},
                                                              {"prompt_name", s.question_prompt.name},
                                                              {"justification", answer_skeleton(choice)}}}};
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
    for (const auto* r : missing) {
        entries.push_back(missing_entry(*r, c));
        domains += (domains.empty() ? "" : ", ") + r->question->domain;
    }
    return {text_of(missing, c),
            {{"ok", false},
             {"error", base::code::needs_justification},
             {"message", c.tool + " was not run: no recorded reason for " + domains},
             {"hint", "send `retry` with every empty string filled in, or call each `submit` and repeat the call"},
             {"tool", c.tool},
             {"missing", std::move(entries)},
             {"retry", retry_of(v, c)}}};
}

}  // namespace gdalmcp::reflection
