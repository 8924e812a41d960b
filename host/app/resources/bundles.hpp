// The resources that bundles bring, in the words of MCP, and the report of the bundles.
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

// Nothing: no bundle answers for this URI.
std::optional<mcp::reply> read_bundle_resource(const catalog::snapshot& now, const std::string& uri);

// Puts the content of bundles' resources into a prompt's messages where they name one, also in place of what a prompt
// brings under that name. Errors: a URI that is not a bundle's to use, or nobody answers for.
base::result<void> embed_bundle_resources(const catalog::snapshot& now, json::array& messages);

// bundles://, and `gdal-mcp bundles`: {bundles: [{id, version, license, path, toolset, enabled, runtime, network,
// signed_by, tools, resources, domains}], quarantined: [{path, id, reason}], incomplete: [{path, reason}]}
json::object bundle_report(const tool_set& now);

}  // namespace gdalmcp::app
