#include "mcp/rpc_error.hpp"

namespace gdalmcp::mcp {

rpc_error resource_not_found(std::string_view uri, std::string_view hint) {
    return {rpc_code::invalid_params, "Resource not found: " + std::string{uri} + "; " + std::string{hint},
            json::object{{"uri", json::string{uri}}, {"code", "not_found"}, {"hint", json::string{hint}}}};
}

rpc_error task_not_found(std::string_view id) {
    return {rpc_code::invalid_params,
            "there is no task " + std::string{id} + ": it was never started here, or it has expired",
            json::object{{"taskId", json::string{id}}}};
}

}  // namespace gdalmcp::mcp
