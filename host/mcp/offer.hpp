// The server's offer: one immutable snapshot, replaced as a whole when bundles come or go.
#pragma once
#include <cstdint>
#include <set>
#include <string>

#include "base/json.hpp"

namespace gdalmcp::mcp {

namespace json = base::json;

// The arrays hold the wire shapes of MCP and are sent as they are, in this order (which must not depend on the
// connection): Tool {name, title, description, inputSchema, outputSchema, annotations}, ResourceTemplate {uriTemplate,
// name, …}, Prompt {name, description, arguments [{name, description, required}]}.
struct offer {
    std::string name, title, version, website;  // of the server; an empty title or website is not sent
    json::array icons;                          // of the server: [{src, mimeType, sizes?}]
    std::string instructions;                   // shown to the model; clients cut at 2048 characters
    json::array tools, resource_templates, prompts;
    // Unlisted tools whose calls still reach the application, which answers why and what to do.
    std::set<std::string, std::less<>> unlisted;

    // A capability is advertised, and its methods known, only if its flag is set: the application serves it.
    bool resources = false;         // resources/list, resources/templates/list, resources/read
    bool resource_updates = false;  // peer::resources_updated will be called: subscriptions to single resources
    bool completions = false;       // completion/complete
    bool lists_change = false;      // peer::replace or peer::resources_changed will be called
    bool logging = false;           // peer::log will be called
    bool tasks = false;             // tool calls may be answered by task_created; tasks/get, update, cancel
    std::int64_t list_ttl_ms = 0;   // how long clients may keep lists of tools, prompts, templates (2026-07-28)
};

}  // namespace gdalmcp::mcp
