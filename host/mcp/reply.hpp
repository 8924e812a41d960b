// What the application answers to an effect.
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

// To tool_call: ask the client before going on (2026-07-28, multi-round-trip). The client repeats the call with its
// responses and the state.
// requests: {key: {method: "elicitation/create", params: {…}}}. REQUIRES: requests or a state; only what the call's
// client_capabilities allow, anything else is answered with error -32021.
struct input_required {
    json::object requests;
    std::string state;
};

// To resource_list: all of them, in a stable order; the peer cuts the pages.
struct resource_listing {
    json::array resources;
};

// To resource_read: [{uri, mimeType, text | blob}]. REQUIRES: not empty; for what does not exist, resource_not_found.
struct resource_contents {
    json::array contents;
    std::int64_t ttl_ms = 0;
};

// To prompt_get: [{role, content}].
struct prompt_messages {
    std::string description;
    json::array messages;
};

// To completion: all that match, best first; the peer sends the first 100 and says how many there are.
struct completion_values {
    std::vector<std::string> values;
};

using reply = std::variant<tool_result, input_required, resource_listing, resource_contents, prompt_messages,
                           completion_values, rpc_error>;

}  // namespace gdalmcp::mcp
