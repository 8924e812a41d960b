// An HTTP/1.1 server: bytes to requests, replies to bytes. It knows no MCP.
#pragma once
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/problem.hpp"
#include "transport/http_request.hpp"

namespace boost::asio {
class io_context;
}

namespace gdalmcp::transport {

class http_connection;
struct http_listener;
struct http_service;

struct http_limits {
    std::size_t header_bytes = 64u << 10;           // request line and fields; more is 431
    std::size_t body_bytes = 16u << 20;             // more is 413, without reading it
    std::size_t connections = 1024;                 // one more gets 503
    std::chrono::milliseconds idle{75'000};         // between requests; then the connection is closed without a reply
    std::chrono::milliseconds header_time{10'000};  // from the first byte of a request to the end of its fields: 408
    std::chrono::milliseconds body_time{60'000};    // from there to the end of the body: 408
    std::chrono::milliseconds slow_reader{30'000};  // a client that takes no byte of its reply for so long is cut
    std::size_t backlog_bytes = 16u << 20;          // bytes that may wait in one stream; a slower client is cut
};

// The reply to one request: whole, a file, or a stream of chunks. Every function from the thread that runs the
// io_context. Once the client has gone, or the reply is finished, they all do nothing.
//   reply->respond(200, {{"Content-Type", "application/json"}}, text);
//
//   reply->begin_stream(200, {{"Content-Type", "text/event-stream"}});
//   reply->on_gone([=] { stop(); });
//   reply->write(event); …
//   reply->end();
// The server writes Date, Server, X-Content-Type-Options, Connection, Content-Length and Transfer-Encoding itself; pass
// none of them. Line breaks in a field become blanks. The reply to HEAD is written without its body. A reply that is
// dropped unanswered is answered 500; a stream that is dropped before end() is cut, so that the client sees that
// something is missing.
class http_reply {
public:
    explicit http_reply(std::shared_ptr<http_connection> connection);  // made by the server
    ~http_reply();
    http_reply(const http_reply&) = delete;
    http_reply& operator=(const http_reply&) = delete;

    void respond(int status, const http_fields& fields, std::string body);

    // `length` bytes from `offset`, read as the client takes them, never whole in memory. The descriptor is taken, in
    // every case. A file shorter than `length` cuts the connection.
    void respond_file(int status, const http_fields& fields, int fd, std::uint64_t offset, std::uint64_t length);

    void begin_stream(int status, const http_fields& fields);
    void write(std::string chunk);  // of a stream that has begun; empty chunks are ignored
    void end();

    bool closed() const;         // the client has gone or the reply is finished: writes have no effect
    std::size_t queued() const;  // bytes that the client has not taken yet

    // Called once, from the io_context and never from inside another call, if the client goes (or is cut as too slow)
    // before respond(), respond_file() or end(); also if it has gone already. A client that closes its sending side
    // counts as gone. Not called once the server is destroyed.
    void on_gone(std::function<void()> call);

private:
    friend class http_connection;
    void tell_gone();
    std::shared_ptr<http_connection> finish();  // the connection, for the last time

    enum class stage { open, streaming, finished };
    stage stage_ = stage::open;
    std::shared_ptr<http_connection> connection_;
    std::function<void()> gone_;
};

struct http_events {
    // One whole request; on one connection the next one follows when the reply is finished. The reply may be given at
    // once or later. REQUIRES: no exception.
    std::function<void(http_request, std::shared_ptr<http_reply>)> request;
    // Whether to read the body of the request with this head. Where not, `request` is given the head alone, to refuse
    // it, and the connection ends with that reply. Empty: every body is read. REQUIRES: no exception.
    std::function<bool(const http_request& head)> wants_body;
};

// Since the start; for metrics.
struct http_counters {
    std::uint64_t accepted = 0;           // connections
    std::uint64_t accept_failures = 0;    // out of descriptors or memory; accepting goes on a moment later
    std::uint64_t refused_for_limit = 0;  // connections answered 503
    std::uint64_t requests = 0;           // given to http_events::request
    std::uint64_t refused_requests = 0;   // malformed, too large or too slow: answered 4xx or 5xx by the server itself
    std::uint64_t timeouts = 0;           // of those, the too slow (408)
    std::uint64_t slow_readers = 0;       // connections cut for not reading
    std::uint64_t bytes_in = 0;
    std::uint64_t bytes_out = 0;
};

// Serves HTTP/1.1 (and 1.0, one request a connection) with keep-alive and pipelining. Requests that two readers could
// understand differently (two lengths, length and chunks, folded fields, control characters) are refused, and the
// connection is closed.
//   http_server server{io, {}, {on_request}};
//   const auto port = server.listen("127.0.0.1", 0);
//   …
//   server.drain(10s, [&] { io.stop(); });
// REQUIRES: one thread, which runs the io_context; the event set.
class http_server {
public:
    http_server(boost::asio::io_context& io, http_limits limits, http_events events);
    ~http_server();  // closes everything at once
    http_server(const http_server&) = delete;
    http_server& operator=(const http_server&) = delete;

    // Listens on an IPv4 or IPv6 address (or localhost, which is 127.0.0.1) and returns the port; port 0 is any free
    // one. May be called again for another address.
    base::result<std::uint16_t> listen(const std::string& address, std::uint16_t port);
    void stop_accepting();

    // Stops accepting, closes connections without an open reply at once and the others when their reply is finished,
    // cuts what is left after `patience`, then calls `done`, once, from the io_context.
    void drain(std::chrono::milliseconds patience, std::function<void()> done);

    std::size_t connections() const;  // open now, without those being refused
    const http_counters& counters() const;

private:
    std::shared_ptr<http_service> service_;
    std::vector<std::shared_ptr<http_listener>> listeners_;
};

}  // namespace gdalmcp::transport
