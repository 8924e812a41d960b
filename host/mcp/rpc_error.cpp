#include "mcp/rpc_error.hpp"

namespace gdalmcp::mcp {

rpc_error resource_not_found(std::string_view uri) {
    return {rpc_code::invalid_params, "Resource not found: " + std::string{uri},
            json::object{{"uri", json::string{uri}}}};
}

}  // namespace gdalmcp::mcp
