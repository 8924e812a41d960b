#include "transport/http_connection.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <boost/asio/post.hpp>
#include <cerrno>
#include <charconv>

namespace gdalmcp::transport {
namespace asio = boost::asio;
using namespace std::chrono_literals;
using stage = request_reader::stage;

namespace {
constexpr std::size_t ahead_limit = 64u << 10;  // bytes buffered for later requests; beyond that TCP stops the client
constexpr auto hangup_period = 1000ms;          // interval of checks for a hangup that reads cannot detect
constexpr auto linger_time = 2000ms;
constexpr std::size_t turn = 1u << 20;  // bytes written before other connections get their turn
}  // namespace

http_connection::http_connection(std::shared_ptr<http_service> service, asio::ip::tcp::socket socket, std::string peer,
                                 bool admitted)
    : service_{std::move(service)},
      socket_{std::move(socket)},
      peer_{std::move(peer)},
      admitted_{admitted},
      reader_{service_->limits.header_bytes, service_->limits.body_bytes},
      deadline_{service_->io},
      slow_reader_{service_->io} {}

void http_connection::start() {
    set_deadline();
    watch();
}

void http_connection::watch() {
    if (closed() || std::exchange(watching_, true)) return;
    socket_.async_wait(socket_.wait_read, [self = shared_from_this()](boost::system::error_code ec) {
        self->watching_ = false;
        if (!ec && !self->closed()) self->read_some();
    });
}

// One piece, then other connections get their turn.
void http_connection::read_some() {
    auto& buffer = service_->buffer;
    const auto n = ::recv(socket_.native_handle(), buffer.data(), buffer.size(), 0);
    if (n > 0)
        received({buffer.data(), static_cast<std::size_t>(n)});
    else if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR))
        watch();
    else
        cut();
}

void http_connection::received(std::string_view bytes) {
    service_->counters.bytes_in += bytes.size();
    switch (phase_) {
        case phase::reading:
            ahead_ += bytes;
            return read_requests();
        case phase::replying:
            ahead_ += bytes;
            return ahead_.size() < ahead_limit ? watch() : look_for_hangup();
        case phase::refusing:
        case phase::lingering:
            lingered_ += bytes.size();
            return lingered_ > service_->limits.body_bytes ? cut() : watch();
        case phase::closed:
            return;
    }
}

void http_connection::read_requests() {
    if (phase_ != phase::reading) return;
    std::string_view rest{ahead_};
    bool unwanted = false;
    while (!rest.empty() && reader_.at() != stage::whole && reader_.at() != stage::refused && !unwanted) {
        const auto before = reader_.at();
        rest.remove_prefix(reader_.feed(rest));
        unwanted = before != stage::body && reader_.at() == stage::body && !wants_body();
    }
    std::string{rest}.swap(ahead_);  // an empty buffer keeps no memory

    if (reader_.at() == stage::refused) return refuse(reader_.refused().status, reader_.refused().why);
    if (reader_.at() == stage::whole || unwanted) return serve();
    if (reader_.awaits_continue()) {
        out_.push("HTTP/1.1 100 Continue\r\n\r\n");
        flush();
    }
    set_deadline();
    watch();
}

bool http_connection::wants_body() const {
    const auto& asked = service_->events.wants_body;
    return !asked || asked(reader_.head());
}

// Set where a stage begins, not by every byte: a client that drips its request is as late as one that is silent.
void http_connection::set_deadline() {
    if (closed() || timed_ == reader_.at()) return;
    timed_ = reader_.at();
    const auto& limits = service_->limits;
    if (*timed_ == stage::nothing) return deadline_.set(limits.idle, [self = shared_from_this()] { self->cut(); });
    const bool body = *timed_ == stage::body;
    deadline_.set(body ? limits.body_time : limits.header_time, [self = shared_from_this(), body] {
        ++self->service_->counters.timeouts;
        self->refuse(408, body ? "the body did not arrive in time" : "the header section did not arrive in time");
    });
}

// While the client sends on behind an open reply and is held back, only the kernel knows that it has gone, and it only
// where what the client has sent fits its buffers: the end of a stream comes after its bytes.
void http_connection::look_for_hangup() {
    pollfd p{socket_.native_handle(), POLLRDHUP, 0};
    if (::poll(&p, 1, 0) > 0) return cut();
    deadline_.set(hangup_period, [self = shared_from_this()] { self->look_for_hangup(); });
}

void http_connection::serve() {
    deadline_.stop();
    timed_.reset();
    closes_ = !reader_.keeps_alive() || reader_.at() == stage::body;  // the end of an unread body is unknown
    is_http_1_1_ = reader_.is_http_1_1();
    auto request = reader_.take();
    request.peer_address = peer_;
    without_body_ = request.method == "HEAD";
    finished_ = false;
    phase_ = phase::replying;
    const auto reply = std::make_shared<http_reply>(shared_from_this());
    reply_ = reply;
    ++service_->counters.requests;
    service_->events.request(std::move(request), reply);
    if (ahead_.size() < ahead_limit)
        watch();
    else if (phase_ == phase::replying)
        look_for_hangup();
}

void http_connection::send_head(int status, const http_fields& fields, http_framing framing) {
    closes_ = closes_ || service_->draining || !is_http_1_1_;
    framing.closes = closes_;
    without_body_ = without_body_ || !has_body(status);
    out_.push(response_head(status, fields, framing, std::time(nullptr)));
}

void http_connection::send(int status, const http_fields& fields, std::string body) {
    send_head(status, fields, {.length = body.size()});
    if (!without_body_) out_.push(std::move(body));
    finish();
}

void http_connection::send_file(int status, const http_fields& fields, int fd, std::uint64_t offset,
                                std::uint64_t length) {
    send_head(status, fields, {.length = length});
    out_.push_file(fd, offset, without_body_ ? 0 : length);
    finish();
}

void http_connection::begin_stream(int status, const http_fields& fields) {
    send_head(status, fields, {.chunked = is_http_1_1_});  // HTTP/1.0: the body ends with the connection
    flush();
}

void http_connection::send_chunk(std::string chunk) {
    if (without_body_ || chunk.empty()) return;
    if (is_http_1_1_) {
        std::array<char, 20> size{};
        auto* const end = std::to_chars(size.data(), size.data() + size.size(), chunk.size(), 16).ptr;
        out_.push(std::string{size.data(), end} + "\r\n");
        chunk += "\r\n";
    }
    out_.push(std::move(chunk));
    flush();
    if (closed() || out_.bytes() <= service_->limits.backlog_bytes) return;
    ++service_->counters.slow_readers;
    cut();
}

void http_connection::end_stream() {
    if (!without_body_ && is_http_1_1_) out_.push("0\r\n\r\n");
    finish();
}

void http_connection::finish() {
    finished_ = true;
    flush();
}

void http_connection::tell_gone_later() {
    asio::post(service_->io, [reply = reply_, service = service_] {
        const auto r = reply.lock();
        if (r && !service->ended) r->tell_gone();
    });
}

void http_connection::flush() {
    if (closed() || flushing_) return;
    bool progress = false;
    for (std::size_t total = 0; total < turn;) {
        if (!out_.fill()) return cut();
        if (out_.empty()) {
            slow_reader_.stop();
            return written();
        }
        std::array<iovec, 16> parts{};
        msghdr message{};
        message.msg_iov = parts.data();
        message.msg_iovlen = out_.buffers(parts);
        const auto n = ::sendmsg(socket_.native_handle(), &message, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
            if (progress) slow_reader_.stop();
            return wait_until_writable();
        }
        if (n < 0) return cut();
        progress = true;
        out_.sent(static_cast<std::size_t>(n));
        service_->counters.bytes_out += static_cast<std::uint64_t>(n);
        total += static_cast<std::size_t>(n);
    }
    slow_reader_.stop();
    flushing_ = true;
    asio::post(service_->io, [self = shared_from_this()] {
        self->flushing_ = false;
        self->flush();
    });
}

void http_connection::wait_until_writable() {
    flushing_ = true;
    if (!slow_reader_.runs())
        slow_reader_.set(service_->limits.slow_reader, [self = shared_from_this()] {
            ++self->service_->counters.slow_readers;
            self->cut();
        });
    socket_.async_wait(socket_.wait_write, [self = shared_from_this()](boost::system::error_code ec) {
        self->flushing_ = false;
        if (!ec) self->flush();
    });
}

// Nothing left to write; an unfinished reply will produce more.
void http_connection::written() {
    if (phase_ == phase::refusing) return linger();
    if (phase_ != phase::replying || !finished_) return;
    if (closes_ || service_->draining) return linger();
    deadline_.stop();
    phase_ = phase::reading;
    // Not at once: the handler that gave the reply is still running, and a pipeline of requests would nest its replies.
    asio::post(service_->io, [self = shared_from_this()] { self->read_requests(); });
}

void http_connection::refuse(int status, const std::string& why) {
    if (closed()) return;
    if (status != 503) ++service_->counters.refused_requests;
    deadline_.stop();
    phase_ = phase::refusing;
    const auto text = why + "\n";
    out_.push(response_head(status, {{"Content-Type", "text/plain; charset=utf-8"}},
                            {.length = text.size(), .closes = true}, std::time(nullptr)));
    out_.push(text);
    watch();
    flush();
}

// A socket closed with unread bytes resets the connection, and the client may lose the reply. So the sending side is
// closed first, and what the client still sends is thrown away until it closes too.
void http_connection::linger() {
    phase_ = phase::lingering;
    ahead_ = {};
    boost::system::error_code ignored;  // not connected: the next read reports it
    socket_.shutdown(socket_.shutdown_send, ignored);
    deadline_.set(linger_time, [self = shared_from_this()] { self->cut(); });
    watch();
}

void http_connection::close_if_idle() {
    if (phase_ == phase::reading) cut();
}

void http_connection::cut() {
    if (closed()) return;
    if (!finished_) tell_gone_later();
    close();
    service_->remove(shared_from_this());
}

void http_connection::abandon() {
    if (!closed()) close();
}

void http_connection::close() {
    phase_ = phase::closed;
    deadline_.stop();
    slow_reader_.stop();
    out_.clear();                       // the reply object may be held for long
    boost::system::error_code ignored;  // nothing more can be done
    socket_.close(ignored);
}

}  // namespace gdalmcp::transport
