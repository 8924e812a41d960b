// A tool's questions to its client in the middle of a call, and the answers. review has the gate's questions; both
// share the rounds.
#pragma once
#include <optional>
#include <string>

#include "app/call/client.hpp"
#include "app/call/outcome.hpp"

namespace gdalmcp::app {

// Input for the process of a tool: {"can": [elicitation, sampling, roots], "answers": {name: answer}, "state"}, as
// worker/asking.hpp reads it. Includes the answers of earlier rounds, but not the gate's.
json::object told_to_tool(const client& asker);

// The questions of a tool that has run, and the state for the next round: the tool's state, the answers it has read,
// and the gate's state. Nothing: no questions, the call is done. Errors: internal, when a question is not allowed;
// exhausted, when questions or state are too large. REQUIRES: `done` has the shape check_answer requires.
base::result<std::optional<questions>> asked_by_tool(const std::string& tool, const json::object& done,
                                                     const client& asker);

// The state for a round in which the gate asks: the tool's part survives.
json::value state_beside_gate(const client& asker);

}  // namespace gdalmcp::app
