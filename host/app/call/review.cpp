#include "app/call/review.hpp"

#include <algorithm>

#include "reflection/person.hpp"

namespace gdalmcp::app {

namespace code = base::code;

namespace {

constexpr std::string_view form_prefix = "reason_", look_prefix = "second_look_";

std::string form_name(const reflection::ruling& r) { return std::string{form_prefix} + r.question->domain; }
std::string look_name(const reflection::ruling& r) { return std::string{look_prefix} + r.question->domain; }

json::object form_for(const reflection::ruling& r, const std::string& tool) {
    reflection::personal_question q;
    q.tool = tool;
    q.title = r.title.empty() ? r.question->title : r.title;
    if (r.title.empty()) q.choice = reflection::choice_of(*r.question, r.key_arguments);
    q.question = r.line;
    for (const auto& f : r.findings) q.numbers.push_back(f.text);
    for (const auto& e : r.evidence)
        if (const auto summary = base::string_member(e, "summary"); !summary.empty()) q.numbers.emplace_back(summary);
    return {{"method", "elicitation/create"}, {"params", reflection::form_of(q)}};
}

// The form shows the conflicts, so accepting it accepts them.
json::object answer_of(const reflection::ruling& r, const json::value& response) {
    auto answer = reflection::answer_of(response, reflection::choice_of(*r.question, r.key_arguments));
    json::array accepted;
    for (const auto& name : r.conflicts())
        accepted.push_back(json::object{{"name", name}, {"why_accepted", answer.at("choice").at("rationale")}});
    if (!accepted.empty()) answer["conflicts"] = std::move(accepted);
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
        if (did == reflection::action::accept) out.answers[r.question->domain] = answer_of(r, *response);
    }
    if (out.refused) out.requests.clear();
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
        if (!response && asker.round == 0) {
            out.requests[look_name(r)] =
                json::object{{"method", "sampling/createMessage"},
                             {"params", reflection::second_look_request(c.tool, c.arguments, r.reason->answer())}};
            continue;
        }
        const auto seen = reflection::second_look_of(response);
        if (!seen) {
            out.notes.emplace_back(domain, seen.error());
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
