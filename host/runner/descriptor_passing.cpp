#include "runner/descriptor_passing.hpp"

#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace gdalmcp::runner {

namespace {

constexpr std::size_t most = 4;  // descriptors in one message

// A message of one byte, or of text, with room for descriptors.
struct envelope {
    std::array<char, max_text> bytes{'d'};
    iovec text{bytes.data(), 1};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(most * sizeof(int))> space{};
    msghdr message{};
    explicit envelope(std::size_t fds) {
        message.msg_iov = &text;
        message.msg_iovlen = 1;
        message.msg_control = space.data();
        message.msg_controllen = CMSG_SPACE(fds * sizeof(int));
    }
};

}  // namespace

bool send_descriptors(int socket, std::initializer_list<int> fds) {
    envelope e{fds.size()};
    auto* header = CMSG_FIRSTHDR(&e.message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(fds.size() * sizeof(int));
    std::memcpy(CMSG_DATA(header), fds.begin(), fds.size() * sizeof(int));
    for (;;) {
        const auto n = ::sendmsg(socket, &e.message, MSG_NOSIGNAL);
        if (n == 1) return true;
        if (n < 0 && errno == EINTR) continue;
        return false;
    }
}

bool send_text(int socket, std::string_view text) {
    return text.size() <= max_text &&
           ::send(socket, text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT) == static_cast<ssize_t>(text.size());
}

received receive_descriptors(int socket, std::size_t wanted) {
    envelope e{wanted};
    e.text.iov_len = e.bytes.size();
    ssize_t n = 0;
    do n = ::recvmsg(socket, &e.message, MSG_CMSG_CLOEXEC);
    while (n < 0 && errno == EINTR);
    received r;
    r.end_of_stream = n == 0;
    const auto* header = n > 0 ? CMSG_FIRSTHDR(&e.message) : nullptr;
    if (n > 0 && !header) r.text.assign(e.bytes.data(), static_cast<std::size_t>(n));
    if (!header || header->cmsg_type != SCM_RIGHTS || header->cmsg_len != CMSG_LEN(wanted * sizeof(int))) return r;
    std::array<int, most> fds{};
    std::memcpy(fds.data(), CMSG_DATA(header), wanted * sizeof(int));
    for (std::size_t i = 0; i < wanted; ++i) r.descriptors.emplace_back(fds[i]);
    return r;
}

}  // namespace gdalmcp::runner
