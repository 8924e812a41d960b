#include "transport/stdio.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <deque>
#include <utility>
#include <vector>

#include "transport/line_cutter.hpp"

namespace gdalmcp::transport {
namespace asio = boost::asio;
using steady = std::chrono::steady_clock;

namespace {

constexpr auto look_again = std::chrono::milliseconds{500};  // for the end of an input that is held back

}  // namespace

// Reads and writes are plain system calls on non-blocking descriptors; Asio only waits. So every byte is accounted for
// the moment it is written, flush can take over at any time, and what cannot be polled (plain files, /dev/null) needs
// no special case: it never returns EAGAIN.
struct stdio_transport::state : std::enable_shared_from_this<state> {
    state(asio::io_context& context, int in, int out, stdio_events e)
        : io{context},
          in_fd{in},
          out_fd{out},
          in_flags{::fcntl(in, F_GETFL)},
          out_flags{::fcntl(out, F_GETFL)},
          in_wait{context},
          out_wait{context},
          next_look{context},
          events{std::move(e)},
          buffer(64u << 10),
          cutter{max_line} {
        // Descriptors that cannot be watched show their state when read or written.
        boost::system::error_code ignored;
        in_wait.assign(in, ignored);
        out_wait.assign(out, ignored);
        ::fcntl(in, F_SETFL, in_flags | O_NONBLOCK);
        ::fcntl(out, F_SETFL, out_flags | O_NONBLOCK);
    }

    void detach() {
        ended = true;
        next_look.cancel();
        if (in_wait.is_open()) in_wait.release();
        if (out_wait.is_open()) out_wait.release();
        ::fcntl(in_fd, F_SETFL, in_flags);
        ::fcntl(out_fd, F_SETFL, out_flags);
    }

    void end() {
        if (!std::exchange(ended, true)) events.end();
    }

    // One chunk, then other connections get their turn.
    void read() {
        if (ended) return;
        if (!cut_lines()) return look_for_end();
        const auto n = ::read(in_fd, buffer.data(), buffer.size());
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
            in_wait.async_wait(in_wait.wait_read, [self = shared_from_this()](boost::system::error_code ec) {
                if (!ec) self->read();
            });
        } else if (n > 0 || (n < 0 && errno == EINTR)) {
            if (n > 0) uncut = {buffer.data(), static_cast<std::size_t>(n)};
            read_later();
        } else {
            cutter.finish(events.line);
            end();
        }
    }
    void read_later() {
        asio::post(io, [self = shared_from_this()] { self->read(); });
    }

    // Line by line, because a client that sends but does not read must wait; false: it must wait, or the input ended.
    bool cut_lines() {
        while (!ended && !uncut.empty() && queued <= max_unread) {
            const auto piece = uncut.substr(0, std::min(uncut.find('\n'), uncut.size() - 1) + 1);
            uncut.remove_prefix(piece.size());
            cutter.feed(piece, events.line, events.line_too_long);
        }
        held_back = queued > max_unread;
        return !held_back && !ended;  // a line may have ended it
    }

    // A client that has closed its input and does not read has left; its remaining lines cannot be answered.
    void look_for_end() {
        next_look.expires_after(look_again);
        next_look.async_wait([self = shared_from_this()](boost::system::error_code ec) {
            if (ec || self->ended || !self->held_back) return;
            pollfd p{self->in_fd, POLLRDHUP, 0};
            const bool closed = ::poll(&p, 1, 0) > 0 && (p.revents & (POLLHUP | POLLRDHUP | POLLERR)) != 0;
            if (closed && steady::now() - self->last_taken >= patience_after_end) return self->end();
            self->look_for_end();
        });
    }

    void write() {
        if (waiting || write_some()) return;
        waiting = true;
        out_wait.async_wait(out_wait.wait_write, [self = shared_from_this()](boost::system::error_code ec) {
            self->waiting = false;
            if (!ec) self->write();
        });
    }

    // Writes until the queue is empty or the descriptor would block; false in the latter case.
    bool write_some() {
        while (!queue.empty()) {
            const auto& line = queue.front();
            const auto n = ::write(out_fd, line.data() + written, line.size() - written);
            if (n < 0 && errno == EINTR) continue;
            if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return false;
            if (n < 0) {
                give_up();
                return true;
            }
            written += static_cast<std::size_t>(n);
            last_taken = steady::now();
            if (written < line.size()) continue;
            queued -= line.size();
            queue.pop_front();
            written = 0;
            if (queued <= max_unread / 2 && std::exchange(held_back, false)) read_later();
        }
        return true;
    }

    void give_up() {
        reader_gone = true;
        queue.clear();
        queued = written = 0;
        asio::post(io, [self = shared_from_this()] { self->end(); });
    }

    bool flush(std::chrono::milliseconds patience) {
        const auto deadline = steady::now() + patience;
        while (!write_some()) {
            const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - steady::now()).count();
            if (left <= 0) return false;
            pollfd p{out_fd, POLLOUT, 0};
            ::poll(&p, 1, static_cast<int>(left));
        }
        return !reader_gone;
    }

    asio::io_context& io;
    const int in_fd, out_fd, in_flags, out_flags;
    asio::posix::stream_descriptor in_wait, out_wait;
    asio::steady_timer next_look;
    stdio_events events;
    std::vector<char> buffer;
    std::string_view uncut;  // of the buffer
    line_cutter cutter;
    std::deque<std::string> queue;
    std::size_t queued = 0;                         // bytes of all lines
    std::size_t written = 0;                        // of the front line
    steady::time_point last_taken = steady::now();  // by the reader
    bool held_back = false;                         // the input, until the output is read
    bool waiting = false;                           // until the output accepts more
    bool reader_gone = false;
    bool ended = false;
};

stdio_transport::stdio_transport(asio::io_context& io, int in, int out, stdio_events events)
    : s_{std::make_shared<state>(io, in, out, std::move(events))} {
    asio::post(io, [s = s_] { s->read(); });
}

stdio_transport::~stdio_transport() { s_->detach(); }

void stdio_transport::write(std::string line) {
    if (s_->reader_gone) return;
    line += '\n';
    s_->queued += line.size();
    s_->queue.push_back(std::move(line));
    s_->write();
}

bool stdio_transport::flush(std::chrono::milliseconds patience) { return s_->flush(patience); }

base::result<int> keep_stdout_private() {
    const auto failed = [](const char* what) {
        return base::fail(base::code::io, std::string{what} + ": " + std::strerror(errno),
                          "start the server with stdin, stdout and stderr open");
    };
    const int kept = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (kept < 0) return failed("stdout cannot be duplicated");
    if (::dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
        const auto problem = failed("stdout cannot be redirected to stderr");
        ::close(kept);
        return problem;
    }
    std::signal(SIGPIPE, SIG_IGN);
    return kept;
}

}  // namespace gdalmcp::transport
