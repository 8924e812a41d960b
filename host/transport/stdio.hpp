// Lines over a pair of descriptors: MCP's stdio transport.
#pragma once
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/problem.hpp"

namespace boost::asio {
class io_context;
}

namespace gdalmcp::transport {

inline constexpr std::size_t max_line = 16u << 20;    // bytes, without the newline
inline constexpr std::size_t max_unread = 16u << 20;  // bytes waiting to be written while lines are still read

// How long a client that has closed its input may read nothing while so much waits for it.
inline constexpr auto patience_after_end = std::chrono::seconds{2};

// What the transport reports, each on the thread that runs the io_context.
struct stdio_events {
    std::function<void(std::string_view)> line;  // without its newline; valid during the call only
    std::function<void()> line_too_long;         // once for a line of more than max_line bytes, which is skipped
    std::function<void()> end;                   // once: end of input, or nobody reads the output; no event follows
};

// Reads lines ("\n" or "\r\n"; also a last one without) and writes lines, whole and in order, without blocking.
//   stdio_transport t{io, 0, protocol_out, {on_line, on_too_long, on_end}};
//   t.write(text);        // from the thread that runs io
//   …
//   t.flush(2s);          // before leaving
// While a client does not read, its lines are not read until at most half of max_unread waits for it; it counts as gone
// once it closes its input and reads nothing for patience_after_end. The descriptors stay the caller's. They are made
// non-blocking, which is undone at the end. Plain files and /dev/null work too, though they cannot be polled. REQUIRES:
// SIGPIPE ignored (keep_stdout_private does it); one thread; the events set.
class stdio_transport {
public:
    stdio_transport(boost::asio::io_context& io, int in, int out, stdio_events events);
    ~stdio_transport();
    stdio_transport(const stdio_transport&) = delete;
    stdio_transport& operator=(const stdio_transport&) = delete;

    void write(std::string line);  // newline added; dropped if nobody reads

    // Blocks until every line is written. False when the reader is gone or does not read for `patience`.
    bool flush(std::chrono::milliseconds patience);

private:
    struct state;
    std::shared_ptr<state> s_;
};

// Reserves stdout for the protocol: returns a private duplicate of descriptor 1 (close-on-exec) and points descriptor 1
// at stderr, so that a library that prints cannot break a line. Ignores SIGPIPE: a client that is gone is an error of
// write, not the end of the process.
base::result<int> keep_stdout_private();

}  // namespace gdalmcp::transport
