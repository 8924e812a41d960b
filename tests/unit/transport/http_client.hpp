// A server and raw clients in one thread: the client's waiting runs the server.
#pragma once
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <boost/asio/io_context.hpp>
#include <cerrno>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "transport/http.hpp"

namespace http_test {

using namespace gdalmcp::transport;
using namespace std::chrono_literals;

// Runs the server until `done`; a test that would wait for ever fails instead.
template <class Done>
void run_until(boost::asio::io_context& io, const Done& done) {
    const auto give_up = std::chrono::steady_clock::now() + 60s;
    while (!done()) {
        if (std::chrono::steady_clock::now() > give_up) throw std::runtime_error{"waited for 60 s"};
        io.restart();
        io.run_one_for(5ms);
    }
}

struct response {
    std::string head;  // with its empty line
    std::string body;
    int status() const { return std::stoi(head.substr(9, 3)); }
    bool has(std::string_view line) const {
        return head.find("\r\n" + std::string{line} + "\r\n") != std::string::npos;
    }
};

class client {
public:
    client(boost::asio::io_context& io, std::uint16_t port, int receive_buffer = 0) : io_{&io} {
        fd_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (receive_buffer) ::setsockopt(fd_, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
        sockaddr_in a{};
        a.sin_family = AF_INET;
        a.sin_port = htons(port);
        a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        REQUIRE(::connect(fd_, reinterpret_cast<const sockaddr*>(&a), sizeof a) == 0);  // the backlog takes it
    }
    client(client&& o) noexcept : io_{o.io_}, fd_{std::exchange(o.fd_, -1)}, got_{std::move(o.got_)} {}
    ~client() { close(); }

    void close() {
        if (fd_ >= 0) ::close(std::exchange(fd_, -1));
    }
    void close_sending() { ::shutdown(fd_, SHUT_WR); }

    // What the kernel takes; false when the server has closed the connection meanwhile.
    bool send(std::string_view bytes) {
        bool open = true;
        run_until(*io_, [&] {
            const auto n = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
            if (n > 0) bytes.remove_prefix(static_cast<std::size_t>(n));
            open = n >= 0 || errno == EAGAIN;
            return bytes.empty() || !open;
        });
        return open;
    }

    std::string read_to_end() {
        run_until(*io_, [&] { return !receive(); });
        return std::exchange(got_, {});
    }
    std::string read(std::size_t bytes) {
        wait_for([&] { return got_.size() >= bytes; });
        return take(bytes);
    }
    std::string read_through(std::string_view mark) {
        wait_for([&] { return got_.find(mark) != std::string::npos; });
        return take(got_.find(mark) + mark.size());
    }
    // A response with a Content-Length, or without a body (`bare`).
    response read_response(bool bare = false) {
        response r{read_through("\r\n\r\n"), ""};
        constexpr std::string_view name = "\r\nContent-Length: ";
        const auto length = r.head.find(name);
        if (!bare && length != std::string::npos) r.body = read(std::stoul(r.head.substr(length + name.size())));
        return r;
    }

private:
    template <class There>
    void wait_for(const There& there) {
        run_until(*io_, [&] {
            if (!there() && !receive()) throw std::runtime_error{"closed early, after: " + got_};
            return there();
        });
    }
    std::string take(std::size_t bytes) {
        auto out = got_.substr(0, bytes);
        got_.erase(0, bytes);
        return out;
    }
    bool receive() {  // false at the end
        std::array<char, 65536> b{};
        const auto n = ::recv(fd_, b.data(), b.size(), MSG_DONTWAIT);
        if (n > 0) got_.append(b.data(), static_cast<std::size_t>(n));
        return n > 0 || (n < 0 && errno == EAGAIN);
    }

    boost::asio::io_context* io_;
    int fd_ = -1;
    std::string got_;
};

// A server that keeps what it is asked, and answers with the path unless told otherwise.
struct fixture {
    explicit fixture(http_limits limits = {})
        : server{std::in_place, io, limits,
                 http_events{[this](http_request r, std::shared_ptr<http_reply> reply) {
                                 seen.push_back(std::move(r));
                                 answer(seen.back(), std::move(reply));
                             },
                             [this](const http_request& head) { return wants_body(head); }}} {
        const auto listening = server->listen("127.0.0.1", 0);
        REQUIRE(listening);
        port = *listening;
    }
    client connect(int receive_buffer = 0) { return client{io, port, receive_buffer}; }
    template <class Done>
    void until(const Done& done) {
        run_until(io, done);
    }

    boost::asio::io_context io;
    std::vector<http_request> seen;
    std::function<void(const http_request&, std::shared_ptr<http_reply>)> answer =
        [](const http_request& r, const std::shared_ptr<http_reply>& reply) { reply->respond(200, {}, r.path); };
    std::function<bool(const http_request&)> wants_body = [](const http_request&) { return true; };
    std::optional<http_server> server;
    std::uint16_t port = 0;
};

inline std::string get(const std::string& target) { return "GET " + target + " HTTP/1.1\r\nHost: localhost\r\n\r\n"; }

}  // namespace http_test
