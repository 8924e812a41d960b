// The rounds of a call that asks its client before it goes on: what the client brings along, what it is asked next.
#pragma once
#include <mutex>
#include <optional>

#include "app/client.hpp"
#include "app/outcome.hpp"
#include "app/request_state.hpp"
#include "mcp/effect.hpp"
#include "mcp/reply.hpp"

namespace gdalmcp::app {

// Thread-safe. The key for the state between two rounds is looked for when it is first needed: most servers never ask.
class rounds {
public:
    static constexpr unsigned most = 8;  // of one call; clients bear hardly more

    rounds(std::filesystem::path state_dir, request_state::clock now)
        : state_dir_{std::move(state_dir)}, now_{std::move(now)} {}

    // Answers without a state belong to no question of ours and are not looked at. Errors (invalid_argument): the state
    // is not ours, expired, or belongs to another call.
    base::result<client> begin(const mcp::tool_call& call);

    // Errors: exhausted, when the call has asked often enough.
    base::result<mcp::input_required> ask(const mcp::tool_call& call, const client& asker, questions q);

private:
    const request_state& states();

    const std::filesystem::path state_dir_;
    const request_state::clock now_;
    std::mutex guard_;
    std::optional<request_state> states_;
};

}  // namespace gdalmcp::app
