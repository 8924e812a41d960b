// One client, spoken to in MCP: lines in, effects out.
#pragma once
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "mcp/effect.hpp"
#include "mcp/http_fields.hpp"
#include "mcp/offer.hpp"
#include "mcp/reply.hpp"

namespace gdalmcp::mcp {

class peer_state;

// The state machine of one connection. Speaks every revision from 2024-11-05 to 2026-07-28 and decides per message
// which: a request with the 2026-07-28 envelope is served statelessly, everything else belongs to the `initialize`
// handshake. Knows no I/O, no clock and no thread; not safe to be called from two threads at once.
//   peer p{offer};
//   for (effect& e : p.receive(line)) carry_out(std::move(e));
//   …
//   for (effect& e : p.answer(key, tool_result{…})) carry_out(std::move(e));
// Guarantees: every request is answered exactly once, unless the client cancelled it, then never; ids and progress
// tokens come back with their JSON type; no input makes it throw (std::bad_alloc aside).
class peer {
public:
    explicit peer(std::shared_ptr<const offer> o);  // REQUIRES: not null
    ~peer();
    peer(peer&&) noexcept;
    peer& operator=(peer&&) noexcept;

    effects receive(std::string_view line);
    // The same for a message that came by HTTP, with what its header says about it.
    effects receive(json::value message, const http_fields& header);
    effects line_too_long(std::size_t limit);  // the transport skipped a line of more than `limit` bytes

    // Tells how far a request is, fraction in [0, 1]. Nothing is sent unless the client asked for it, the request is
    // still open and the fraction is larger than the last one sent. The caller bounds the rate.
    effects progress(request_key key, double fraction, std::string_view message);
    // Tells that a request is still alive (waiting in a queue, say), claiming no more than a trace of progress.
    effects heartbeat(request_key key, std::string_view message);

    // A line of the work on a request, by its severity (RFC 5424: 0 emergency … 7 debug). Sent when the client wants to
    // read lines as severe as this.
    effects log(request_key key, int severity, std::string_view logger, std::string_view text);

    // Nothing when the request is no longer open: the client cancelled it. What its client is still being asked is
    // taken back.
    effects answer(request_key key, reply r);

    // True when this call was answered by `input_required` and its client, one of the handshake, has yet to say
    // something, or is not asked anything: then stop_waiting() brings the call back with its state. How long it may and
    // how often a call may ask is for the caller to bound.
    bool awaits_client(request_key key) const;
    // Takes back what this call's client is still being asked, as if it had cancelled; the call comes again at once.
    // Nothing when it awaits no client.
    effects stop_waiting(request_key key);

    // A new picture of what is offered. Clients that can be told are told which lists changed; about: the request that
    // made them change, if it was one of this client.
    effects replace(std::shared_ptr<const offer> o, request_key about = 0);
    effects resources_changed();  // the answer to resource_list would now differ
    // What these of the URIs that a client has subscribed to name has changed: those for which `changed` holds.
    effects resources_updated(const std::function<bool(const std::string& uri)>& changed);
    effects task_changed(const json::object& task);  // as task_state holds it

    // The client is gone or we are leaving: cancels what is open, ends the subscriptions.
    effects close();

    std::size_t in_flight() const;  // requests not yet answered, for whichever reason; subscriptions do not count
    bool listens_to_tasks() const;  // a subscription names one
    bool is_open(request_key key) const;
    request_key last_key() const;  // of the requests received so far, which are numbered 1, 2, …

private:
    std::unique_ptr<peer_state> c_;
};

}  // namespace gdalmcp::mcp
