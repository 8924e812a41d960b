// The answer to prompts/get.
#pragma once
#include "app/call/elicitation.hpp"
#include "app/call/host.hpp"
#include "mcp/reply.hpp"

namespace gdalmcp::app {

// The messages of a prompt, or, if the client supports forms, its author's questions to the person.
mcp::reply get_prompt(host& h, elicitation& asking, const mcp::prompt_get& e, const runner::cancellation& cancel);

}  // namespace gdalmcp::app
