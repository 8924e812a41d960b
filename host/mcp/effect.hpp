// What a peer asks of the application: lines to send and work to do.
#pragma once
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "base/json.hpp"

namespace gdalmcp::mcp {

namespace json = base::json;

// Ours, of one request of the client; never used for another by one peer. Every effect that carries one, but for
// `cancel`, is to be answered by peer::answer.
using request_key = std::uint64_t;

// One JSON text without a newline; effects are to be carried out in their order. What follows the line is for
// transports that have more than one stream to a client.
struct send {
    std::string line;
    request_key about = 0;  // the open request it belongs to; 0 = the message being received, otherwise nobody's
    bool last = false;      // a response, or the responses to a batch: the last word about it
    unsigned status = 200;  // of HTTP, where this response is all that is sent
    bool asks = false;      // a request of ours, which is waited for
};

// The tool exists in the offer, listed or not; its arguments are not checked against its schema yet.
struct tool_call {
    request_key key = 0;
    std::string name;
    json::object arguments;
    bool wants_progress = false;
    bool may_become_task = false;  // the client understands task_created
    // What this client can do beyond the basics, and so what an `input_required` answer may ask of it now.
    json::object client_capabilities;
    // After `input_required` the call comes again with what the client answered and the state it was given; null
    // otherwise. From 2026-07-28 on that is a new request, with a key of its own, and both come from the client: not to
    // be trusted. For a client of the handshake it is the same request with the same key: input_responses holds one
    // well-formed result for each question, {"action": "cancel"} for a form that was answered by an error or nonsense,
    // and no member for any other question of which that is true.
    json::value input_responses, request_state;
};

struct resource_list {
    request_key key = 0;
};

struct resource_read {
    request_key key = 0;
    std::string uri;
};

// The prompt exists in the offer; all arguments are strings. The last three members are as in tool_call.
struct prompt_get {
    request_key key = 0;
    std::string name;
    json::object arguments;
    json::object client_capabilities;
    json::value input_responses, request_state;
};

// Answered by task_state.
struct task_get {
    request_key key = 0;
    std::string id;
};

// What the client answers to the questions of a task, not to be trusted. Answered by acknowledged.
struct task_update {
    request_key key = 0;
    std::string id;
    json::object responses;
};

// Stop what the task does, if it still does something. Answered by acknowledged.
struct task_cancel {
    request_key key = 0;
    std::string id;
};

// params: {ref, argument {name, value}, context?}, well-formed; a prompt that is named exists.
struct completion {
    request_key key = 0;
    json::object params;
};

// Stop the work; an answer that comes nevertheless is dropped.
struct cancel {
    request_key key = 0;
    std::string reason;
};

using effect = std::variant<send, tool_call, resource_list, resource_read, prompt_get, completion, task_get,
                            task_update, task_cancel, cancel>;
using effects = std::vector<effect>;

}  // namespace gdalmcp::mcp
