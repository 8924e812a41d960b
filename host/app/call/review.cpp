#include "app/call/review.hpp"

#include <algorithm>

#include "reflection/person.hpp"

namespace gdalmcp::app {

namespace code = base::code;

namespace {

constexpr std::string_view form_prefix = "reason_", look_prefix = "second_look_";
// Members of the state between two rounds.
constexpr const char *persons_answers = "person", *look_requested = "second_looks";

std::string form_name(const reflection::ruling& r) { return std::string{form_prefix} + r.question->domain; }
std::string look_name(const reflection::ruling& r) { return std::string{look_prefix} + r.question->domain; }

reflection::personal_question question_for(const reflection::ruling& r, const std::string& tool) {
    reflection::personal_question q;
    q.tool = tool;
    q.title = r.title.empty() ? r.question->title : r.title;
    if (r.title.empty()) q.choice = reflection::choice_of(*r.question, r.key_arguments);
    q.question = r.line;
    for (const auto& f : r.findings) q.numbers.push_back(f.text);
    return q;
}

json::object form_for(const reflection::ruling& r, const std::string& tool) {
    auto q = question_for(r, tool);
    for (const auto& e : r.evidence)
        if (const auto summary = base::string_member(e, "summary"); !summary.empty()) q.numbers.emplace_back(summary);
    q.asks = r.asks;
    return {{"method", "elicitation/create"}, {"params", reflection::form_of(q)}};
}

void accept_conflicts(json::object& answer, const std::vector<std::string>& conflicts, const json::value& why) {
    auto named = reflection::conflicts_of_answer(answer);
    for (const auto& name : conflicts)
        if (!reflection::names_conflict(named, name))
            named.push_back(json::object{{"name", name}, {"why_accepted", why}});
    if (!named.empty()) answer["conflicts"] = std::move(named);
}

// The form shows the conflicts, so accepting it accepts them.
json::object answer_of(const reflection::ruling& r, const json::value& response) {
    auto answer = reflection::answer_of(response, reflection::choice_of(*r.question, r.key_arguments), r.asks);
    accept_conflicts(answer, r.conflicts(), answer.at("choice").at("rationale"));
    return answer;
}

// Of the form about the conflicts that an earlier answer's facts have shown.
json::object completed(const json::value& kept, const json::value& response) {
    auto answer = kept.at("answer").as_object();
    std::vector<std::string> conflicts;
    for (const auto& name : kept.at("conflicts").as_array()) conflicts.emplace_back(name.as_string());
    accept_conflicts(answer, conflicts, json::string(reflection::why_accepted_of(response)));
    return answer;
}

base::problem declined(const reflection::ruling& r, const std::string& tool) {
    const auto what = r.title.empty() ? reflection::choice_of(*r.question, r.key_arguments) + " (" + r.question->title +
                                            ") for " + r.question->domain
                                      : r.title;
    return {code::policy, tool + " was not run: the user declined " + what,
            "ask the user what they want instead, and call with that", ""};
}

}  // namespace

bool is_gate_question(std::string_view name) {
    return name.substr(0, form_prefix.size()) == form_prefix || name.substr(0, look_prefix.size()) == look_prefix;
}

review ask_person(const reflection::verdict& v, const std::string& tool, const client& asker) {
    review out;
    const bool only_persons = std::all_of(v.rulings.begin(), v.rulings.end(),
                                          [](const reflection::ruling& r) { return !r.blocks() || r.person; });
    if (v.runs() || !only_persons || !asker.shows_forms()) return out;
    out.state[persons_answers] = json::object{};
    const auto* earlier = base::find_member(asker.request_state, persons_answers);
    for (const auto& r : v.rulings) {
        if (!r.blocks()) continue;
        const auto* response = asker.input_responses.if_contains(form_name(r));
        if (!response) {
            out.requests[form_name(r)] = form_for(r, tool);
            continue;
        }
        const auto did = reflection::action_of(*response);
        if (did == reflection::action::decline) {
            out.refused = declined(r, tool);
            out.stopped_by = r.question->domain;
            out.notes.emplace_back(out.stopped_by, "the user declined it");
        }
        if (did != reflection::action::accept) continue;
        const auto* kept = earlier ? base::find_member(*earlier, r.question->domain) : nullptr;
        out.answers[r.question->domain] = kept ? completed(*kept, *response) : answer_of(r, *response);
    }
    if (out.refused) out.requests.clear();
    return out;
}

review ask_about_conflicts(const reflection::verdict& v, const json::object& answers, const std::string& tool) {
    review out;
    json::object kept;
    for (const auto& r : v.rulings) {
        if (!r.blocks()) continue;
        const auto* answer = answers.if_contains(r.question->domain);
        if (!answer || r.unnamed.empty()) return {};
        json::array conflicts;
        for (const auto& name : r.conflicts()) conflicts.emplace_back(name);
        kept[r.question->domain] = json::object{{"answer", *answer}, {"conflicts", std::move(conflicts)}};
        out.requests[form_name(r)] = json::object{{"method", "elicitation/create"},
                                                  {"params", reflection::conflict_form_of(question_for(r, tool))}};
    }
    out.state[persons_answers] = std::move(kept);
    return out;
}

review second_looks::look(const reflection::verdict& v, const reflection::call& c, const client& asker) {
    review out;
    for (const auto& r : v.rulings) {
        if (!r.policy.second_look || !r.reason || r.blocks()) continue;
        const std::string digest{base::string_member(r.reason->text, "digest")};
        if (passed_.find(digest)) continue;
        const auto& domain = r.question->domain;
        if (!asker.capabilities.contains("sampling")) {
            out.notes.emplace_back(domain, "no second look: the client offers no model for it");
            continue;
        }
        const auto* response = asker.input_responses.if_contains(look_name(r));
        if (!response && !base::find_member(asker.request_state, look_requested)) {
            out.state[look_requested] = true;
            out.requests[look_name(r)] =
                json::object{{"method", "sampling/createMessage"},
                             {"params", reflection::second_look_request(c.tool, c.arguments, r.reason->answer())}};
            continue;
        }
        const auto seen = reflection::second_look_of(response);
        if (!seen) {
            out.notes.emplace_back(domain, seen.error());
            out.warnings.push_back("the reason for " + domain +
                                   " was not reviewed as the policy wants: " + seen.error());
            continue;
        }
        std::string notes;
        for (const auto& n : seen->notes) notes += (notes.empty() ? "" : "; ") + n;
        if (!seen->ok) {
            out.refused = {code::validation_failed,
                           c.tool + " was not run: a second look at the reason for " + domain +
                               " found: " + (notes.empty() ? "it does not hold" : notes),
                           "answer with a reason that meets this (" + r.reason->ref() + "), or change the call", ""};
            out.notes.emplace_back(domain, "refused: a second look by the client's model found " +
                                               (notes.empty() ? "that it does not hold" : notes));
            out.stopped_by = domain;
            continue;
        }
        out.notes.emplace_back(domain, "second look by the client's model: it holds" +
                                           (notes.empty() ? std::string{} : " (" + notes + ")"));
        passed_.keep(digest, {});
    }
    return out;
}

}  // namespace gdalmcp::app
