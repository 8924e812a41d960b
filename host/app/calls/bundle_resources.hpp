// The resources that bundles bring, in the words of MCP.
#pragma once
#include <optional>
#include <string>

#include "app/calls/offering.hpp"
#include "mcp/reply.hpp"

namespace gdalmcp::app {

namespace json = boost::json;

// For resources/list, and for resources/templates/list.
json::array list_bundle_resources(const offering& now);
json::array list_bundle_templates(const offering& now);

// Nothing: no bundle answers for this URI.
std::optional<mcp::reply> read_bundle_resource(const offering& now, const std::string& uri);

// Puts the content of bundles' resources into a prompt's messages where they name one, also in place of what a prompt
// brings under that name. Errors: a URI that is not a bundle's to use, or nobody answers for.
base::result<void> embed_bundle_resources(const offering& now, json::array& messages);

}  // namespace gdalmcp::app
