// Open descriptors sent over a Unix socket (SCM_RIGHTS), for which Asio has no API. Used on both sides of the zygote.
#pragma once
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "runner/descriptor.hpp"

namespace gdalmcp::runner {

// One byte of text and the descriptors, which stay open here. False when the other side is gone.
bool send_descriptors(int socket, std::initializer_list<int> fds);

inline constexpr std::size_t max_text = 64;  // bytes of a message without descriptors
// Never blocks. False when the text is too long, the buffer is full, or the other side is gone.
bool send_text(int socket, std::string_view text);

struct received {
    std::vector<descriptor> descriptors;  // empty unless exactly the expected number arrived
    std::string text;                     // of a message without descriptors
    bool end_of_stream = false;
};
// Blocks for the next message; received descriptors are close-on-exec.
received receive_descriptors(int socket, std::size_t wanted);

}  // namespace gdalmcp::runner
