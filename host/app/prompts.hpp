// What prompts/get answers.
#pragma once
#include "app/client.hpp"
#include "app/host.hpp"
#include "mcp/reply.hpp"

namespace gdalmcp::app {

// The messages of a prompt, or, of a client that can be asked, the questions its author has for the person
// (mcp::input_required without a state). An `asker` that has answered before comes with its input_responses.
mcp::reply get_prompt(host& h, const std::string& name, const json::object& arguments, const client& asker = {});

}  // namespace gdalmcp::app
