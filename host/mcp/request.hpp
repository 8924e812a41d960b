// One request of the client, from its line to its answer.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "mcp/effect.hpp"
#include "mcp/http_fields.hpp"
#include "mcp/revision.hpp"
#include "mcp/rpc_error.hpp"

namespace gdalmcp::mcp {

// A JSON array of messages (2025-03-26 only): the responses leave together, as one array.
struct batch {
    std::size_t open = 0;  // members that may still respond
    json::array responses;
};

struct request {
    request_key key = 0;  // once it is open
    json::value id;       // string or integer; null = it could not be read, and is left out of the error response
    revision spoken = latest_handshake;
    std::string method;
    json::object params;
    json::object client_capabilities;
    json::value progress_token;  // string or integer; null = no progress wanted
    double progress = -1;        // the last fraction sent
    int log_level = -1;          // lines as severe as this, or more, are wanted; -1 = none
    std::shared_ptr<batch> in;   // null = not part of a batch
};

bool is_request_id(const json::value& v);  // also the type of progress tokens

// The id of a request whose text is not readable as a whole (too deep, half a surrogate pair, a number beyond double),
// so that its sender can match the error; null if it cannot be found: not exactly one member "id" and "method" at the
// top.
json::value id_of_unreadable(std::string_view message);

// Takes `params` (null = absent) and its progress token into the request.
std::optional<rpc_error> take_params(request& r, json::value params);

// Whether this message is an `initialize` that will be answered with a result: the beginning of a session over HTTP.
bool begins_handshake(const json::value& message);

// True when the request, or the _meta of one, carries a part of the 2026-07-28 envelope, complete or not.
bool has_envelope(const request& r);
bool has_envelope(const json::object& meta);

// Checks the envelope (types; against the header, if there is one; version) and copies it into the request.
std::optional<rpc_error> take_envelope(request& r, const http_fields* header);

inline constexpr std::size_t max_values =
    1'000'000;                                    // of one message; each takes about twelve times the size of its text
inline constexpr std::size_t max_in_batch = 100;  // messages; a longer batch is refused as a whole
inline constexpr const char* tasks_extension = "io.modelcontextprotocol/tasks";
bool declares_tasks(const request& r);  // its client understands the extension

}  // namespace gdalmcp::mcp
