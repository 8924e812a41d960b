// The host's resources, one entry each: its listing, how it is read and completed, what changes it.
#pragma once
#include <string>
#include <vector>

#include "app/resources/completions.hpp"
#include "app/resources/reader.hpp"
#include "mcp/reply.hpp"

namespace gdalmcp::app {

// The possible changes since the last notification of clients.
struct changes {
    const workspace::roots& roots;
    const outcome* call = nullptr;             // that has ended
    std::vector<std::string> gone_results{};   // URIs of managed results
    bool tools = false, glossary = false;      // bundles, specs and prompts were reloaded; the glossary's text changed
    std::vector<std::string> methodologies{};  // of these domains
};

struct resource {
    const char *uri, *name, *title, *description;  // uri: or a template of RFC 6570; title: may be empty
    contents (*read)(const reading&);
    std::vector<std::pair<std::string_view, sources::source>> completed{};  // variables and their values
    bool (*changed)(const changes&, const std::string& uri) = nullptr;      // null: never changed by the server
    std::vector<std::string_view> query{};                                  // query parameters it takes
    const char* mime_type = "application/json";
    json::array (*instances)(host&) = nullptr;  // of a template, for resources/list
    // A question mark belongs to the path: file names may contain one.
    bool is_raw() const { return std::string_view{uri}.starts_with("metadata://"); }
    bool is_template() const { return std::string_view{uri}.find('{') != std::string_view::npos; }
};

// In the order in which clients are shown them.
const std::vector<resource>& resource_table();

struct found_resource {
    const resource* entry = nullptr;  // null: the host has no resource with this URI
    std::string wanted{};  // the values of the variables in the URI, undecoded; without variables, its last part
};
// The entry with the most literal text; one without variables must be the URI itself. Also of a template itself.
found_resource find_resource(std::string_view uri);

mcp::reply list_resources(host& h);
json::array list_resource_templates(const tool_set& now);

// An rpc_error for a missing resource, with data {uri, code, hint} where known. files_at: see reading.
mcp::reply read_resource(reader& r, const std::string& uri, const std::string& files_at,
                         const runner::cancellation& cancel);

// Whether the changes affect this URI. Does not access the disk: it runs for every subscribed URI.
bool is_changed(const std::string& uri, const changes& c);

// completion/complete. Best first; nothing for arguments without a list. params: see mcp::completion.
mcp::reply complete(reader& r, const json::object& params, const runner::cancellation& cancel);

}  // namespace gdalmcp::app
