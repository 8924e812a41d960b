// Open descriptors sent over a Unix socket (SCM_RIGHTS), for which Asio has no API. Used on both sides of the zygote.
#pragma once
#include <initializer_list>
#include <vector>

#include "runner/descriptor.hpp"

namespace gdalmcp::runner {

// One byte of text and the descriptors, which stay open here. False when the other side is gone.
bool send_descriptors(int socket, std::initializer_list<int> fds);

struct received {
    std::vector<descriptor> descriptors;  // empty unless exactly as many came as were wanted
    bool end_of_stream = false;
};
// Blocks for the next message; what it brings is close-on-exec.
received receive_descriptors(int socket, std::size_t wanted);

}  // namespace gdalmcp::runner
