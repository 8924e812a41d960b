// JSON-RPC errors: protocol faults, as opposed to tool failures, which are results with isError.
#pragma once
#include <string>
#include <string_view>

#include "base/json.hpp"

namespace gdalmcp::mcp {

namespace json = base::json;

// The codes MCP defines; the specification reserves -32000..-32099, so no other code of that range is ever sent.
enum class rpc_code : int {
    parse_error = -32700,
    invalid_request = -32600,
    method_not_found = -32601,
    invalid_params = -32602,
    internal_error = -32603,
    header_mismatch = -32020,
    missing_client_capability = -32021,
    unsupported_protocol_version = -32022,
};

struct rpc_error {
    rpc_code code = rpc_code::internal_error;
    std::string message;
    json::value data;  // null = none
};

// The error of resources/read for an unknown URI.
rpc_error resource_not_found(std::string_view uri,
                             std::string_view hint = "resources/list and resources/templates/list name what there is");

// The error of tasks/get, tasks/update and tasks/cancel for an unknown id, or that of another client.
rpc_error task_not_found(std::string_view id);

}  // namespace gdalmcp::mcp
