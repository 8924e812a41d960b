// The rounds of a call that asks its client before it continues: the client's answers, the next questions.
#pragma once
#include <mutex>
#include <optional>

#include "app/call/client.hpp"
#include "app/call/outcome.hpp"
#include "app/call/request_state.hpp"
#include "mcp/effect.hpp"
#include "mcp/reply.hpp"

namespace gdalmcp::app {

// What a state is bound to, so that the answers to one question are not used for another.
struct called {
    const char* method;
    std::string name;
    json::object arguments;
};
inline called called_by(const mcp::tool_call& e) { return {"tools/call", e.name, e.arguments}; }
inline called called_by(const mcp::prompt_get& e) { return {"prompts/get", e.name, e.arguments}; }

// Thread-safe. Loads the key for the state between two rounds on first use: most servers never ask.
class elicitation {
public:
    static constexpr unsigned max = 8;  // of one call; clients tolerate hardly more

    // One principal cannot answer the questions of another.
    elicitation(std::filesystem::path state_dir, request_state::clock now, std::string principal = {})
        : state_dir_{std::move(state_dir)}, now_{std::move(now)}, principal_{std::move(principal)} {}

    // Without a state the host cannot know whether the gate asked: it accepts only answers to a tool's or prompt's own
    // questions, which some clients send with the first call. Errors (invalid_argument): the state is not ours, has
    // expired, or belongs to another call.
    template <class Effect>  // mcp::tool_call, mcp::prompt_get
    base::result<client> begin(const Effect& e) {
        return begin(called_by(e), e.client_capabilities, e.input_responses, e.request_state);
    }

    // Errors: exhausted, when the call has asked often enough.
    base::result<mcp::input_required> ask(const called& call, const client& asker, questions q);

    static base::problem too_many();  // the error of a call that has asked `max` times without a complete answer

private:
    base::result<client> begin(const called& call, const json::object& capabilities, const json::value& responses,
                               const json::value& state);
    const request_state& states();
    std::string binding(const called& c) const {
        return principal_ + "/" + call_binding(c.method, c.name, c.arguments);
    }

    const std::filesystem::path state_dir_;
    const request_state::clock now_;
    const std::string principal_;
    std::mutex guard_;
    std::optional<request_state> states_;
};

}  // namespace gdalmcp::app
