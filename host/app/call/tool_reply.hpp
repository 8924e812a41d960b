// Outcomes in the words of MCP.
#pragma once
#include "app/call/outcome.hpp"
#include "mcp/reply.hpp"

namespace gdalmcp::app {

// An error carries two text blocks: prose, and JSON that parses alone.
mcp::tool_result to_result(outcome o);

// What is told of a task whose call ended like this, where that is not a result of the tool: its process died.
std::optional<mcp::rpc_error> to_task_failure(const outcome& o);

mcp::rpc_error invalid_state(const base::problem& p);  // a request's requestState is none of ours

}  // namespace gdalmcp::app
