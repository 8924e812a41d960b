// Frames between host and worker: u32 little-endian length, then one JSON object, on an AF_UNIX stream socket.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "base/json.hpp"

namespace gdalmcp::runner {

inline constexpr std::size_t max_frame = 16u << 20;  // bytes; bulk data travels by path only

// Blocking. Errors: io when the other side is gone, exhausted when the frame is over max_frame.
base::result<void> write_frame(int socket, const base::json::object& frame);

// The two halves of write_frame(), for a frame that is made while there is memory and sent when there may be none.
base::result<std::string> encoded(const base::json::object& frame);
base::result<void> send_encoded(int socket, std::string_view bytes);

// Blocking; one whole frame. Errors: io at end of stream or inside a frame, internal when it is not a JSON object.
base::result<base::json::object> read_frame(int socket);

// Buffers readable bytes and returns whole frames; for a poll loop on the host's side.
class frame_reader {
public:
    // False at end of stream. Never blocks (MSG_DONTWAIT), and returns after a MiB even when there is more: a constant
    // writer must not keep its reader from its deadline. The rest of an ended process is smaller.
    bool receive(int socket);
    // The next whole frame, nullopt when there is none yet, a problem when the bytes are not a frame.
    base::result<std::optional<base::json::object>> next();

private:
    static constexpr std::size_t most_at_once = 1u << 20;
    std::string bytes_;
    std::size_t start_ = 0;
};

}  // namespace gdalmcp::runner
