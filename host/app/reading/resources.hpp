// The resources clients can list and read.
#pragma once
#include "app/reading/reader.hpp"
#include "mcp/reply.hpp"

namespace gdalmcp::app {

// {bundles: [{id, version, license, path, toolset, enabled, runtime, network, signed_by, tools, resources, domains}],
// quarantined: [{path, id, reason}], incomplete: [{path, reason}]}
json::object bundle_report(const offering& now);

mcp::reply list_resources(host& h);
// An rpc_error for what is not there, with data {uri, code, hint} where more is known than that. files_at: where this
// client can fetch the files of results over HTTP, up to the id; "" = nowhere.
mcp::reply read_resource(reader& r, const std::string& uri, const std::string& files_at,
                         const runner::cancellation& cancel);

}  // namespace gdalmcp::app
