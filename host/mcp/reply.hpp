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

// To tool_call: ask the client before going on. The same tool_call comes again with the responses and the state: from
// 2026-07-28 on because the client repeats its request (multi-round-trip), before because the peer sends the questions
// as requests of its own and waits for the answers, as long as the application lets it (peer::stop_waiting). requests:
// {key: {method: "elicitation/create", params: {…}}}, written for the newest revision; what an older one does not know
// (`mode`) is left out for its clients. REQUIRES: only what the call's client_capabilities allow, anything else is
// answered with error -32021; requests, or, from 2026-07-28 on, a state alone.
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
