// One MCP client: lines in, effects out.
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

// The state machine of one connection. Supports every revision from 2024-11-05 to 2026-07-28 and picks one per message:
// a request with the 2026-07-28 envelope is served statelessly, everything else belongs to the `initialize` handshake.
// Knows no I/O, no clock and no thread; not safe to be called from two threads at once.
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
    // The same for a message over HTTP, with its header fields.
    effects receive(json::value message, const http_fields& header);
    effects line_too_long(std::size_t limit);  // the transport skipped a line of more than `limit` bytes

    // Reports progress of a request, fraction in [0, 1]. Sent only if the client requested it, the request is still
    // open and the fraction exceeds the last one sent. The caller bounds the rate.
    effects progress(request_key key, double fraction, std::string_view message);
    // Reports that a request is alive (waiting in a queue, say) with a minimal increase of progress.
    effects heartbeat(request_key key, std::string_view message);

    // A log line of the work on a request, with its severity (RFC 5424: 0 emergency … 7 debug). Sent if the client
    // requested lines of this severity.
    effects log(request_key key, int severity, std::string_view logger, std::string_view text);

    // No effect if the request is no longer open: the client cancelled it. Open questions to its client are withdrawn.
    effects answer(request_key key, reply r);

    // True if this call was answered by `input_required` and its client, one of the handshake, has yet to answer, or
    // was asked nothing: then stop_waiting() brings the call back with its state. The caller limits the waiting time
    // and the number of rounds.
    bool awaits_client(request_key key) const;
    // Withdraws the open questions of this call, as if the client had cancelled them; the call comes again at once. No
    // effect if it awaits no client.
    effects stop_waiting(request_key key);

    // Replaces the offer. Clients that support it are notified which lists changed; about: the request that changed
    // them, if it was this client's.
    effects replace(std::shared_ptr<const offer> o, request_key about = 0);
    effects resources_changed();  // the answer to resource_list would now differ
    // Notifies of changed resources: the subscribed URIs for which `changed` holds.
    effects resources_updated(const std::function<bool(const std::string& uri)>& changed);
    effects task_changed(const json::object& task);  // as task_state holds it

    // The client has gone or the server is draining: cancels open requests, ends the subscriptions.
    effects close();

    std::size_t in_flight() const;  // requests not yet answered, for whichever reason; subscriptions do not count
    bool listens_to_tasks() const;  // a subscription names one
    bool is_open(request_key key) const;
    request_key last_key() const;  // of the requests received so far, which are numbered 1, 2, …

private:
    std::unique_ptr<peer_state> c_;
};

}  // namespace gdalmcp::mcp
