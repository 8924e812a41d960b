#include "app/rounds.hpp"

#include "base/log.hpp"

namespace gdalmcp::app {

namespace {

std::string binding_of(const mcp::tool_call& call) { return call_binding("tools/call", call.name, call.arguments); }

}  // namespace

// Without a key on disk a call can still ask; only a restart of the server between two rounds makes it begin anew.
const request_state& rounds::states() {
    const std::lock_guard lock{guard_};
    if (!states_) {
        auto key = request_state_key(state_dir_);
        if (!key)
            base::log(base::log_level::warning, "questions to clients will not outlive this process: " +
                                                    key.error().message + "; " + key.error().hint);
        states_.emplace(key ? std::move(*key) : new_request_state_key(), now_);
    }
    return *states_;
}

base::result<client> rounds::begin(const mcp::tool_call& call) {
    client c;
    c.capabilities = call.client_capabilities;
    if (call.request_state.is_null()) return c;
    auto state = states().open(call.request_state.as_string(), binding_of(call));
    if (!state) return tl::unexpected{state.error()};
    c.round = static_cast<unsigned>(state->at("round").to_number<std::uint64_t>());
    c.request_state = state->at("state");
    if (const auto* responses = call.input_responses.if_object()) c.input_responses = *responses;
    return c;
}

base::result<mcp::input_required> rounds::ask(const mcp::tool_call& call, const client& asker, questions q) {
    if (asker.round >= most)
        return base::fail(base::code::exhausted,
                          "the call has asked " + std::to_string(asker.round) + " times, the limit is " +
                              std::to_string(most) + ", and is not answered yet; nothing was done",
                          "call again with the answers in the arguments, or with other arguments");
    json::object state{{"round", asker.round + 1}, {"state", std::move(q.state)}};
    return mcp::input_required{std::move(q.requests), states().mint(std::move(state), binding_of(call))};
}

}  // namespace gdalmcp::app
