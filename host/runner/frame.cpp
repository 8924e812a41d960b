#include "runner/frame.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace gdalmcp::runner {

namespace json = base::json;
using base::fail;
using base::result;
namespace code = base::code;

namespace {

constexpr std::size_t header_size = 4;

std::size_t length_of(const unsigned char* header) {
    return header[0] | static_cast<std::size_t>(header[1]) << 8 | static_cast<std::size_t>(header[2]) << 16 |
           static_cast<std::size_t>(header[3]) << 24;
}

result<void> receive_all(int socket, char* to, std::size_t size) {
    while (size > 0) {
        const auto n = ::recv(socket, to, size, 0);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return fail(code::io, std::string{"receiving failed: "} + std::strerror(errno));
        if (n == 0) return fail(code::io, "the other side of the call closed it");
        to += n;
        size -= static_cast<std::size_t>(n);
    }
    return {};
}

result<json::object> object_of(std::string_view text) {
    auto v = base::parse_json(text);
    if (!v || !v->is_object()) return fail(code::internal, "a frame is not a JSON object");
    return std::move(v->get_object());
}

}  // namespace

result<std::string> encoded(const json::object& frame) {
    const std::string text = base::write_json(frame);
    if (text.size() > max_frame)
        return fail(code::exhausted, "a message of " + std::to_string(text.size()) + " bytes is over the limit of " +
                                         std::to_string(max_frame));
    std::string bytes;
    bytes.reserve(header_size + text.size());
    for (int shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(text.size() >> shift & 0xff);
    bytes += text;
    return bytes;
}

result<void> send_encoded(int socket, std::string_view bytes) {
    while (!bytes.empty()) {
        const auto n = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return fail(code::io, std::string{"the other side of the call is gone: "} + std::strerror(errno));
        bytes.remove_prefix(static_cast<std::size_t>(n));
    }
    return {};
}

result<void> write_frame(int socket, const json::object& frame) {
    return encoded(frame).and_then([&](const std::string& bytes) { return send_encoded(socket, bytes); });
}

result<json::object> read_frame(int socket) {
    std::array<unsigned char, header_size> header{};
    if (auto ok = receive_all(socket, reinterpret_cast<char*>(header.data()), header.size()); !ok)
        return tl::unexpected{ok.error()};
    const auto size = length_of(header.data());
    if (size > max_frame) return fail(code::internal, "a frame announces " + std::to_string(size) + " bytes");
    std::string text(size, '\0');
    if (auto ok = receive_all(socket, text.data(), size); !ok) return tl::unexpected{ok.error()};
    return object_of(text);
}

bool frame_reader::receive(int socket) {
    std::array<char, 65536> block;
    for (std::size_t got = 0; got < most_at_once;) {
        const auto n = ::recv(socket, block.data(), block.size(), MSG_DONTWAIT);
        if (n > 0) {
            bytes_.append(block.data(), static_cast<std::size_t>(n));
            got += static_cast<std::size_t>(n);
            continue;
        }
        if (n < 0 && errno == EINTR) continue;
        return n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
    }
    return true;
}

result<std::optional<json::object>> frame_reader::next() {
    const std::size_t available = bytes_.size() - start_;
    if (available < header_size) return std::nullopt;
    const auto size = length_of(reinterpret_cast<const unsigned char*>(bytes_.data() + start_));
    if (size > max_frame) return fail(code::internal, "a frame announces " + std::to_string(size) + " bytes");
    if (available < header_size + size) return std::nullopt;
    auto frame = object_of(std::string_view{bytes_}.substr(start_ + header_size, size));
    start_ += header_size + size;
    if (start_ == bytes_.size()) {
        bytes_.clear();
        start_ = 0;
    }
    if (!frame) return tl::unexpected{frame.error()};
    return std::move(*frame);
}

}  // namespace gdalmcp::runner
