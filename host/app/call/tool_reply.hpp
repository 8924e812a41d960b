// Outcomes as MCP results.
#pragma once
#include "app/call/outcome.hpp"
#include "mcp/reply.hpp"

namespace gdalmcp::app {

// An error carries two text blocks: prose, and JSON that parses alone.
mcp::tool_result to_result(outcome o);

// The task error for a call that ended without a result of the tool, for example because its process died.
std::optional<mcp::rpc_error> to_task_failure(const outcome& o);

mcp::rpc_error invalid_state(const base::problem& p);  // the requestState is invalid

}  // namespace gdalmcp::app
