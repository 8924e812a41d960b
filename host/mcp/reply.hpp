// The application's answers to effects.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "mcp/rpc_error.hpp"

namespace gdalmcp::mcp {

// To tool_call. content: wire content blocks. With is_error, `structured` is not sent (clients check it against the
// output schema and would hide the error); without content, `structured` is mirrored as one text block. meta: extra
// members of the result's _meta.
struct tool_result {
    json::array content;
    std::optional<json::object> structured;
    bool is_error = false;
    json::object meta;
};

// Bytes of one message; the TypeScript client closes the connection on a longer one. A result that does not fit is
// answered as an error. The limit for the result of a task, sent with the task, is slightly lower.
inline constexpr std::size_t max_line = 10u << 20;
inline constexpr std::size_t max_result = max_line - (4u << 10);

// The `result` member of a response, without the members only a response has: the result of a finished task.
json::object wire_result(tool_result t);

// To tool_call and prompt_get: ask the client before going on. The same effect comes again with the responses and the
// state: from 2026-07-28 on because the client repeats its request (multi-round-trip), before because the peer sends
// the questions as requests of its own and waits for the answers, as long as the application lets it
// (peer::stop_waiting). requests: {key: {method: "elicitation/create", params: {…}}}, written for the newest revision;
// what an older one does not know
// (`mode`) is left out for its clients. REQUIRES: only what the call's client_capabilities allow, anything else is
// answered with error -32021; requests, or, from 2026-07-28 on, a state alone.
struct input_required {
    json::object requests;
    std::string state;
};

// Why a client with these capabilities cannot be asked this; nullopt if it can.
std::optional<rpc_error> objection(const json::object& requests, const json::object& client_capabilities);

// To resource_list: all of them, in a stable order; the peer cuts the pages.
struct resource_listing {
    json::array resources;
};

// To resource_read: [{uri, mimeType, text | blob}]. REQUIRES: not empty; for a resource that does not exist,
// resource_not_found.
struct resource_contents {
    json::array contents;
    std::int64_t ttl_ms = 0;
};

// To tool_call of a client that may_become_task: the call goes on as a task. task: the wire shape of Task {taskId,
// status, createdAt, lastUpdatedAt, ttlMs, pollIntervalMs?, statusMessage?}; task_get must know it by now.
struct task_created {
    json::object task;
};

// To task_get: Task and, by its status, result, error or inputRequests. For an unknown id answer task_not_found.
struct task_state {
    json::object task;
};

// To task_update and task_cancel.
struct acknowledged {};

// To prompt_get: [{role, content}].
struct prompt_messages {
    std::string description;
    json::array messages;
};

// To completion: all that match, best first; the peer sends the first 100 and the total.
struct completion_values {
    std::vector<std::string> values;
};

using reply = std::variant<tool_result, input_required, resource_listing, resource_contents, prompt_messages,
                           completion_values, task_created, task_state, acknowledged, rpc_error>;

}  // namespace gdalmcp::mcp
