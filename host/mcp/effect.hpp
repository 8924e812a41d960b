// What a peer requests from the application: lines to send and work to do.
#pragma once
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "base/json.hpp"

namespace gdalmcp::mcp {

namespace json = base::json;

// The peer's key of one client request; never reused by a peer. Every effect with a key, except `cancel`, must be
// answered through peer::answer.
using request_key = std::uint64_t;

// One JSON text without a newline; effects must be carried out in order. The members after the line are for transports
// with several streams to a client.
struct send {
    std::string line;
    request_key about = 0;  // the open request it belongs to; 0 = the message being received, else no request
    bool last = false;      // a response, or the responses to a batch: the last line for it
    unsigned status = 200;  // of HTTP, if this response is the whole reply
    bool asks = false;      // a request of the server, which awaits a response
};

// The tool exists in the offer, listed or not; its arguments are not checked against its schema yet.
struct tool_call {
    request_key key = 0;
    std::string name;
    json::object arguments;
    bool wants_progress = false;
    bool may_become_task = false;  // the client understands task_created
    // The client's optional capabilities, and so what an `input_required` answer may ask of it now.
    json::object client_capabilities;
    // After `input_required` the call comes again with what the client answered and the state it was given; null
    // otherwise. From 2026-07-28 on that is a new request, with a key of its own, and both come from the client and are
    // untrusted. For a client of the handshake it is the same request with the same key: input_responses holds one
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

// The client's answers to the questions of a task; untrusted. Answered by acknowledged.
struct task_update {
    request_key key = 0;
    std::string id;
    json::object responses;
};

// Stop the task's work, if any is left. Answered by acknowledged.
struct task_cancel {
    request_key key = 0;
    std::string id;
};

// params: {ref, argument {name, value}, context?}, well-formed; a prompt that is named exists.
struct completion {
    request_key key = 0;
    json::object params;
};

// Stop the work; a late answer is dropped.
struct cancel {
    request_key key = 0;
    std::string reason;
};

using effect = std::variant<send, tool_call, resource_list, resource_read, prompt_get, completion, task_get,
                            task_update, task_cancel, cancel>;
using effects = std::vector<effect>;

}  // namespace gdalmcp::mcp
