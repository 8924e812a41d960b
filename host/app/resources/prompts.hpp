// What prompts/get answers.
#pragma once
#include "app/call/elicitation.hpp"
#include "app/call/host.hpp"
#include "mcp/reply.hpp"

namespace gdalmcp::app {

// The messages of a prompt, or, of a client that can be asked, the questions its author has for the person.
mcp::reply get_prompt(host& h, elicitation& asking, const mcp::prompt_get& e, const runner::cancellation& cancel);

}  // namespace gdalmcp::app
