// What a tool asks its client in the middle of a call, and what it learns of the answers. The gate's questions are
// review's; both lie in the same rounds.
#pragma once
#include <optional>
#include <string>

#include "app/call/client.hpp"
#include "app/call/outcome.hpp"

namespace gdalmcp::app {

// What the process of a tool is told: {"can": [elicitation, sampling, roots], "answers": {name: answer}, "state"}, as
// worker/asking.hpp reads it. Answers of earlier rounds are among them, the gate's are not.
json::object told_to_tool(const client& asker);

// What a tool that has run asks, and what is kept for the next round: its state, the answers it has looked at, and what
// the gate keeps. Nothing: it has asked nothing, and its call is done. Errors: internal, when it asks what tools may
// not ask; exhausted, when it asks or keeps too much. REQUIRES: `done` has the shape check_answer wants.
base::result<std::optional<questions>> asked_by_tool(const std::string& tool, const json::object& done,
                                                     const client& asker);

// The state for a round in which the gate asks: the tool's part survives.
json::value state_beside_gate(const client& asker);

}  // namespace gdalmcp::app
