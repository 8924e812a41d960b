// Streamable HTTP: MCP's one endpoint, for clients with and without a handshake.
#pragma once
#include <map>
#include <memory>
#include <string>

#include "app/server/http_session.hpp"

namespace gdalmcp::app {

// POST: a message. 2026-07-28: each message is served separately, and disconnecting cancels it. Earlier revisions: the
// first message starts a session, whose id all others carry; GET opens the session's stream, DELETE ends the session.
// On the thread of the service.
class http_endpoint {
public:
    explicit http_endpoint(service& s);
    ~http_endpoint();
    http_endpoint(const http_endpoint&) = delete;
    http_endpoint& operator=(const http_endpoint&) = delete;

    void serve(tenant& t, const transport::http_request& request, std::shared_ptr<transport::http_reply> reply);

    // The server drains: from now on refuses requests and streams, except answers, cancellations and requests about
    // tasks.
    void drain() { draining_ = true; }

    std::size_t sessions() const { return sessions_.size(); }
    std::size_t in_flight() const;  // requests not answered yet
    void close_quiet();             // ends the streams and sessions without work in progress
    void kill();                    // ends all of them, at once
    void drop_tenant(const tenant& t);

private:
    struct stateless_request;

    void receive(tenant& t, const transport::http_request& request, std::shared_ptr<transport::http_reply> reply);
    void receive_stateless(tenant& t, json::value message, const transport::http_request& request,
                           std::shared_ptr<http_exchange> reply);
    void receive_in_session(tenant& t, json::value message, const transport::http_request& request,
                            std::shared_ptr<transport::http_reply> reply, http_exchange::reading reads);
    http_session* session_of(tenant& t, const transport::http_request& request, transport::http_reply& reply);
    bool make_room(const tenant& t);  // for a session; false: no room
    void drop(std::shared_ptr<stateless_request> r);
    void beat();

    service& service_;
    bool draining_ = false;
    std::map<std::string, std::unique_ptr<http_session>> sessions_;
    std::map<stateless_request*, std::shared_ptr<stateless_request>> requests_;
};

}  // namespace gdalmcp::app
