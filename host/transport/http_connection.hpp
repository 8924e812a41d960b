// One client of the HTTP server. Internal to this folder; others use http.hpp.
#pragma once
#include <boost/asio/ip/tcp.hpp>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "transport/alarm.hpp"
#include "transport/http.hpp"
#include "transport/out_queue.hpp"
#include "transport/request_reader.hpp"
#include "transport/response_head.hpp"

namespace gdalmcp::transport {

// State shared by the connections of one server.
struct http_service {
    http_service(boost::asio::io_context& context, http_limits l, http_events e)
        : io{context}, limits{l}, events{std::move(e)}, buffer(64u << 10), patience{context} {}

    void remove(const std::shared_ptr<http_connection>& connection);
    void finish_drain();  // once no connection is left

    boost::asio::io_context& io;
    const http_limits limits;
    const http_events events;
    http_counters counters;
    std::vector<char> buffer;  // every read goes through it, so that an idle connection holds none
    std::unordered_set<std::shared_ptr<http_connection>> connections;
    std::size_t admitted = 0;  // of these, without the ones being refused
    bool draining = false;
    bool ended = false;  // the server is destroyed
    std::function<void()> drained;
    alarm patience;
};

// Reads requests, one after the other, and writes their replies. Reads and writes are plain system calls on a
// non-blocking socket; Asio only waits. While a reply is open it reads on, to notice that the client has gone, and
// holds what comes for the next request.
class http_connection : public std::enable_shared_from_this<http_connection> {
public:
    http_connection(std::shared_ptr<http_service> service, boost::asio::ip::tcp::socket socket, std::string peer,
                    bool admitted);

    void start();
    void refuse(int status, const std::string& why);  // answers, and closes when the client has read it
    void close_if_idle();
    void cut();      // closes at once and notifies an open reply
    void abandon();  // likewise, without notice
    bool admitted() const { return admitted_; }

    // For http_reply. The first four each once, in an order that makes sense.
    void send(int status, const http_fields& fields, std::string body);
    void send_file(int status, const http_fields& fields, int fd, std::uint64_t offset, std::uint64_t length);
    void begin_stream(int status, const http_fields& fields);
    void end_stream();
    void send_chunk(std::string chunk);
    bool closed() const { return phase_ == phase::closed; }
    std::size_t queued() const { return out_.bytes(); }
    void tell_gone_later();

private:
    enum class phase { reading, replying, refusing, lingering, closed };

    void watch();
    void read_some();
    void received(std::string_view bytes);
    void read_requests();
    bool wants_body() const;
    void set_deadline();
    void look_for_hangup();
    void serve();
    void send_head(int status, const http_fields& fields, http_framing framing);
    void finish();
    void flush();
    void wait_until_writable();
    void written();
    void linger();
    void close();

    std::shared_ptr<http_service> service_;
    boost::asio::ip::tcp::socket socket_;
    const std::string peer_;
    const bool admitted_;
    phase phase_ = phase::reading;

    request_reader reader_;
    std::string ahead_;  // bytes of later requests, read while a reply is open
    bool watching_ = false;
    alarm deadline_;                              // of reading
    std::optional<request_reader::stage> timed_;  // what deadline_ is set for
    std::size_t lingered_ = 0;                    // bytes thrown away

    out_queue out_;
    bool flushing_ = false;  // flush continues by itself
    alarm slow_reader_;

    // Of the request being served.
    std::weak_ptr<http_reply> reply_;
    bool finished_ = true;  // the reply has been given, though perhaps not written
    bool is_http_1_1_ = true;
    bool without_body_ = false;  // HEAD, 204, 304
    bool closes_ = false;        // after this reply
};

}  // namespace gdalmcp::transport
