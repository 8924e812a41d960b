#include "app/call/elicitation.hpp"

#include "app/call/review.hpp"
#include "base/log.hpp"

namespace gdalmcp::app {

// Without a key on disk a call can still ask, but restarts from the beginning if the server restarts between two
// rounds.
const request_state& elicitation::states() {
    const std::lock_guard lock{guard_};
    if (!states_) {
        auto key = request_state_key(state_dir_);
        if (!key)
            base::log(base::log_level::warning, "questions to clients will not survive a restart: " +
                                                    key.error().message + "; " + key.error().hint);
        states_.emplace(key ? std::move(*key) : new_request_state_key(), now_);
    }
    return *states_;
}

base::result<client> elicitation::begin(const called& call, const json::object& capabilities,
                                        const json::value& responses, const json::value& given) {
    client c;
    c.capabilities = capabilities;
    const auto* all = responses.if_object();
    if (given.is_null()) {
        for (const auto& r : all ? *all : json::object{})
            if (!is_gate_question(r.key())) c.input_responses[r.key()] = r.value();
        return c;
    }
    auto state = states().open(given.as_string(), binding(call));
    if (!state) return tl::unexpected{state.error()};
    const auto* round = base::find_member(*state, "round");
    const auto* kept = base::find_member(*state, "state");
    if (!round || !round->is_int64() || !kept)
        return base::fail(base::code::invalid_argument, "requestState was not issued by this version of the server",
                          "call again without it");
    c.round = static_cast<unsigned>(round->get_int64());
    c.request_state = *kept;
    if (all) c.input_responses = *all;
    return c;
}

base::problem elicitation::too_many() {
    return {base::code::exhausted,
            "the call has asked " + std::to_string(max) +
                " times, which is the limit, without a complete answer; nothing was done",
            "call again with the answers in the arguments, or with other arguments", ""};
}

base::result<mcp::input_required> elicitation::ask(const called& call, const client& asker, questions q) {
    if (asker.round >= max) return tl::unexpected{too_many()};
    json::object state{{"round", asker.round + 1}, {"state", std::move(q.state)}};
    return mcp::input_required{std::move(q.requests), states().mint(std::move(state), binding(call))};
}

}  // namespace gdalmcp::app
