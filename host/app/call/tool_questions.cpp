#include "app/call/tool_questions.hpp"

#include "app/call/question_rules.hpp"
#include "app/call/review.hpp"
#include "base/hidden_characters.hpp"

namespace gdalmcp::app {

using base::result;

namespace {

constexpr const char* part_of_tool = "tool";    // of the state of a round: {"answers", "kept"}
constexpr std::size_t max_carried = 64u << 10;  // bytes; the client sends the state back with every round
constexpr std::size_t max_asked = 64u << 10;    // bytes of the questions of one round

const json::value* carried(const client& asker, std::string_view member) {
    const auto* part = base::find_member(asker.request_state, part_of_tool);
    return part ? base::find_member(*part, member) : nullptr;
}

json::object answers_so_far(const client& asker) {
    json::object all;
    if (const auto* earlier = carried(asker, "answers"); earlier && earlier->is_object()) all = earlier->get_object();
    for (const auto& r : asker.input_responses)
        if (!is_gate_question(r.key()) && r.value().is_object()) all[r.key()] = r.value();
    return all;
}

result<void> within(std::size_t limit, const json::value& what, const std::string& about) {
    const auto size = base::write_json(what).size();
    if (size <= limit) return {};
    return base::fail(base::code::exhausted,
                      about + " has " + std::to_string(size) + " bytes; the limit is " + std::to_string(limit),
                      "this is a defect of the tool; report it to its author");
}

}  // namespace

json::object told_to_tool(const client& asker) {
    json::array can;
    if (asker.shows_forms()) can.emplace_back("elicitation");
    for (const char* what : {"sampling", "roots"})
        if (asker.capabilities.contains(what)) can.emplace_back(what);
    const auto* kept = carried(asker, "kept");
    return {{"can", std::move(can)}, {"answers", answers_so_far(asker)}, {"state", kept ? *kept : json::value{}}};
}

result<std::optional<questions>> asked_by_tool(const std::string& tool, const json::object& done, const client& asker) {
    const auto* ask = done.if_contains("ask");
    if (!ask) return std::nullopt;
    questions q;
    q.requests = ask->at("requests").get_object();
    for (const auto& r : q.requests)
        if (auto ok =
                check_question(r.key(), base::string_member(r.value(), "method"), r.value().at("params").get_object());
            !ok)
            return tl::unexpected{ok.error()};
    for (const auto& r : q.requests)  // only what a person reads is limited here; tools also send data to models
        if (base::string_member(r.value(), "method") == "elicitation/create")
            if (auto ok = base::check_nothing_hidden(r.value()); !ok)
                return base::fail(base::code::internal,
                                  "the form '" + std::string{r.key()} + "' of " + tool + " " + ok.error().message,
                                  "this is a defect of the tool; report it to its author");
    if (auto ok = within(max_asked, q.requests, "the question set of " + tool); !ok) return tl::unexpected{ok.error()};
    json::object answers;
    const auto all = answers_so_far(asker);
    for (const auto& name : ask->at("used").get_array())
        if (const auto* answer = all.if_contains(name.get_string())) answers[name.get_string()] = *answer;
    json::value part(json::object{{"answers", std::move(answers)}, {"kept", ask->at("state")}});
    if (auto ok = within(max_carried, part, "the state of " + tool + " between rounds"); !ok)
        return tl::unexpected{ok.error()};
    auto state = state_beside_gate(asker);
    state.as_object()[part_of_tool] = std::move(part);
    q.state = std::move(state);
    return q;
}

json::value state_beside_gate(const client& asker) {
    return asker.request_state.is_object() ? asker.request_state : json::value(json::object{});
}

}  // namespace gdalmcp::app
