// A client of the `initialize` handshake over HTTP: each of its messages is a request; the server's messages go to the
// reply of the related request, or to the open stream.
#pragma once
#include <chrono>
#include <map>
#include <memory>
#include <string>

#include "app/server/connection.hpp"
#include "app/server/http_exchange.hpp"

namespace gdalmcp::app {

// Disconnecting does not cancel a client's requests: it may reconnect, though messages sent meanwhile are lost. On the
// thread of the service.
class http_session {
public:
    http_session(service& s, tenant& t, std::string id);
    http_session(const http_session&) = delete;
    http_session& operator=(const http_session&) = delete;

    const std::string& id() const { return id_; }
    const tenant& of() const { return client_->of(); }

    void receive(json::value message, std::string files_at, std::shared_ptr<http_exchange> reply);
    bool listen(std::shared_ptr<http_exchange> stream);  // false: it has a stream already

    void keep_alive();
    std::chrono::steady_clock::duration idle_for(std::chrono::steady_clock::time_point now) const;
    std::size_t in_flight() const { return client_->in_flight(); }
    void close();  // cancels the work in progress
    void kill();   // the same at once

private:
    void route(const mcp::send& s);
    bool listened_to() const { return stream_ && !stream_->finished(); }
    void drop_finished();

    const std::string id_;
    std::map<mcp::request_key, std::shared_ptr<http_exchange>> replies_;  // to requests in progress
    std::shared_ptr<http_exchange> current_;                              // to the message being received
    std::shared_ptr<http_exchange> stream_;                               // for messages unrelated to a request
    std::chrono::steady_clock::time_point last_used_ = std::chrono::steady_clock::now();
    std::shared_ptr<connection> client_;
};

}  // namespace gdalmcp::app
