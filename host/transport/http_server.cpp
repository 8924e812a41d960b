#include <sys/socket.h>
#include <unistd.h>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <cerrno>
#include <cstring>

#include "transport/http_connection.hpp"

namespace gdalmcp::transport {
namespace asio = boost::asio;
using asio::ip::tcp;
using namespace std::chrono_literals;

namespace {

constexpr std::size_t refusable = 64;   // connections over the limit that are answered; more are closed at once
constexpr int accepted_in_a_turn = 64;  // then other connections get their turn
constexpr auto recovery = 100ms;        // when descriptors or memory ran out

std::string text_of(const asio::ip::address& address) {
    if (address.is_v6() && address.to_v6().is_v4_mapped())
        return asio::ip::make_address_v4(asio::ip::v4_mapped, address.to_v6()).to_string();
    return address.to_string();
}

std::string next_step(int error) {
    if (error == EADDRINUSE) return "stop the program that listens there, or choose another port (0 is any free one)";
    if (error == EACCES) return "choose a port of 1024 or more";
    if (error == EADDRNOTAVAIL) return "give an address of this machine, such as 127.0.0.1 or ::1";
    return "choose another address or port";
}

}  // namespace

void http_service::remove(const std::shared_ptr<http_connection>& connection) {
    if (connections.erase(connection) > 0 && connection->admitted()) --admitted;
    if (draining && connections.empty()) finish_drain();
}

void http_service::finish_drain() {
    patience.stop();
    if (drained) asio::post(io, std::exchange(drained, nullptr));
}

// One address. Connections are taken with accept4, because Asio's would be inherited by the processes that the host
// starts.
struct http_listener : std::enable_shared_from_this<http_listener> {
    explicit http_listener(std::shared_ptr<http_service> s)
        : service{std::move(s)}, acceptor{service->io}, pause{service->io} {}

    void watch() {
        if (!acceptor.is_open()) return;
        acceptor.async_wait(acceptor.wait_read, [self = shared_from_this()](boost::system::error_code ec) {
            if (!ec && self->acceptor.is_open()) self->accept();
        });
    }

    void accept() {
        for (int i = 0; i < accepted_in_a_turn; ++i) {
            tcp::endpoint peer;
            auto size = static_cast<socklen_t>(peer.capacity());
            const int fd = ::accept4(acceptor.native_handle(), peer.data(), &size, SOCK_CLOEXEC | SOCK_NONBLOCK);
            if (fd >= 0) {
                peer.resize(size);
                admit(fd, peer);
            } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
                break;
            } else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
                ++service->counters.accept_failures;
                return pause.set(recovery, [self = shared_from_this()] { self->watch(); });
            }  // else that client has gone already (ECONNABORTED and the like, accept(2)): the next one
        }
        watch();
    }

    void admit(int fd, const tcp::endpoint& peer) {
        tcp::socket socket{service->io};
        boost::system::error_code ec;
        socket.assign(peer.protocol(), fd, ec);
        if (ec) {
            ++service->counters.accept_failures;
            ::close(fd);
            return;
        }
        socket.set_option(tcp::no_delay{true}, ec);  // failure means the client has gone, which the next read reports
        ++service->counters.accepted;
        const bool admitted = service->admitted < service->limits.connections;
        if (!admitted) ++service->counters.refused_for_limit;
        if (!admitted && service->connections.size() - service->admitted >= refusable) return;
        const auto connection =
            std::make_shared<http_connection>(service, std::move(socket), text_of(peer.address()), admitted);
        service->connections.insert(connection);
        service->admitted += admitted ? 1 : 0;
        if (admitted)
            connection->start();
        else
            connection->refuse(503, "the server has reached its limit of " +
                                        std::to_string(service->limits.connections) + " connections; try again later");
    }

    void close() {
        pause.stop();
        boost::system::error_code ignored;
        acceptor.close(ignored);
    }

    std::shared_ptr<http_service> service;
    tcp::acceptor acceptor;
    alarm pause;
};

http_server::http_server(asio::io_context& io, http_limits limits, http_events events)
    : service_{std::make_shared<http_service>(io, limits, std::move(events))} {}

http_server::~http_server() {
    stop_accepting();
    service_->ended = true;
    service_->drained = nullptr;
    service_->patience.stop();
    for (const auto& connection : std::exchange(service_->connections, {})) connection->abandon();
}

base::result<std::uint16_t> http_server::listen(const std::string& address, std::uint16_t port) {
    const auto name =
        (address.find(':') == std::string::npos ? address : "[" + address + "]") + ":" + std::to_string(port);
    boost::system::error_code ec;
    const auto parsed = asio::ip::make_address(address == "localhost" ? "127.0.0.1" : address, ec);
    if (ec)
        return base::fail(base::code::invalid_argument, "'" + address + "' is not an IP address",
                          "give one, such as 127.0.0.1 or ::1");
    const tcp::endpoint endpoint{parsed, port};
    const auto listener = std::make_shared<http_listener>(service_);
    auto& acceptor = listener->acceptor;
    const int fd = ::socket(endpoint.protocol().family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) {
        ec.assign(errno, boost::system::system_category());
    } else {
        acceptor.assign(endpoint.protocol(), fd, ec);
        if (ec) ::close(fd);
    }
    if (!ec) acceptor.set_option(tcp::acceptor::reuse_address{true}, ec);
    if (!ec) acceptor.bind(endpoint, ec);
    if (!ec) acceptor.listen(tcp::acceptor::max_listen_connections, ec);
    if (ec) return base::fail(base::code::io, "cannot listen on " + name + ": " + ec.message(), next_step(ec.value()));
    const auto bound = acceptor.local_endpoint(ec);
    if (ec) return base::fail(base::code::io, "cannot listen on " + name + ": " + ec.message(), next_step(ec.value()));
    listeners_.push_back(listener);
    listener->watch();
    return bound.port();
}

void http_server::stop_accepting() {
    for (const auto& l : std::exchange(listeners_, {})) l->close();
}

void http_server::drain(std::chrono::milliseconds patience, std::function<void()> done) {
    stop_accepting();
    service_->draining = true;
    service_->drained = std::move(done);
    for (const auto& connection : std::vector(service_->connections.begin(), service_->connections.end()))
        connection->close_if_idle();
    if (service_->connections.empty()) return service_->finish_drain();
    service_->patience.set(patience, [service = service_] {
        for (const auto& connection : std::vector(service->connections.begin(), service->connections.end()))
            connection->cut();
    });
}

std::size_t http_server::connections() const { return service_->admitted; }
const http_counters& http_server::counters() const { return service_->counters; }

}  // namespace gdalmcp::transport
