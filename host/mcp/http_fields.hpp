// HTTP fields beside the MCP message in the body. Most repeat the message, so that intermediaries need not read bodies
// (Streamable HTTP of 2026-07-28).
#pragma once
#include <map>
#include <optional>
#include <string>

#include "mcp/rpc_error.hpp"

namespace gdalmcp::mcp {

struct request;

// Values without white space around them. A value may be written =?base64?…?=.
struct http_fields {
    std::optional<std::string> protocol_version;    // MCP-Protocol-Version
    std::optional<std::string> method, name;        // Mcp-Method, Mcp-Name
    std::map<std::string, std::string> parameters;  // Mcp-Param-…, by what follows the prefix, in lower case
    bool reads_before_reply = true;  // Accept: a client of the handshake that reads no stream cannot be asked anything
};

// Whether a message that came by HTTP belongs to 2026-07-28, which has no sessions: by its envelope, or by its header
// where it is not an `initialize` without one.
bool is_stateless(const json::value& message, const http_fields& header);

// header_mismatch if the header names another version than the envelope. nullopt if it names none: that is a mismatch,
// too, but of an otherwise well-formed request (see below).
std::optional<rpc_error> version_disagreement(const http_fields& header, std::string_view in_envelope);

// header_mismatch if a field is missing or differs from the request: its version, its method, and the name if the
// method has one. REQUIRES: a request with a valid envelope.
std::optional<rpc_error> disagreement(const http_fields& header, const request& r);

// The same for the arguments of a tool whose schema declares a field (x-mcp-header on a property). Null: no arguments.
std::optional<rpc_error> disagreement(const http_fields& header, const json::value& input_schema,
                                      const json::object* arguments);

}  // namespace gdalmcp::mcp
