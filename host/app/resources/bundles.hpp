// The resources of bundles as MCP entries, and the bundle report.
#pragma once
#include <optional>
#include <string>

#include "app/call/tool_set.hpp"
#include "mcp/reply.hpp"

namespace gdalmcp::app {

namespace json = boost::json;

// For resources/list, and for resources/templates/list.
json::array list_bundle_resources(const catalog::snapshot& now);
json::array list_bundle_templates(const catalog::snapshot& now);

// Nothing: no bundle has this URI.
std::optional<mcp::reply> read_bundle_resource(const catalog::snapshot& now, const std::string& uri);

// Embeds the content of bundles' resources in a prompt's messages that name them, replacing any content the prompt has
// for that URI. Errors: a URI that bundles may not use, or that no bundle has.
base::result<void> embed_bundle_resources(const catalog::snapshot& now, json::array& messages);

// bundles://, and `gdal-mcp bundles`: {bundles: [{id, version, license, path, toolset, enabled, runtime, network,
// signed_by, tools, resources, domains}], quarantined: [{path, id, reason}], incomplete: [{path, reason}]}
json::object bundle_report(const tool_set& now);

}  // namespace gdalmcp::app
