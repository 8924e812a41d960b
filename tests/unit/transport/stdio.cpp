#include "transport/stdio.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <csignal>
#include <memory>
#include <optional>
#include <vector>

#include "catch.hpp"

using namespace gdalmcp::transport;
using namespace std::chrono_literals;
using lines = std::vector<std::string>;

namespace {

class descriptor {
public:
    explicit descriptor(int fd) : fd_{fd} { REQUIRE(fd >= 0); }
    descriptor(descriptor&& o) noexcept : fd_{std::exchange(o.fd_, -1)} {}
    ~descriptor() { close(); }
    int get() const { return fd_; }
    void close() {
        if (fd_ >= 0) ::close(std::exchange(fd_, -1));
    }
    void put(std::string_view s) const { REQUIRE(::write(fd_, s.data(), s.size()) == static_cast<ssize_t>(s.size())); }
    std::string rest() const {  // to the end of the stream
        std::string out;
        std::array<char, 4096> b{};
        for (ssize_t n = 0; (n = ::read(fd_, b.data(), b.size())) > 0;)
            out.append(b.data(), static_cast<std::size_t>(n));
        return out;
    }

private:
    int fd_;
};

struct pipe_pair {
    descriptor read, write;
};

pipe_pair make_pipe() {
    std::array<int, 2> fds{};
    REQUIRE(::pipe2(fds.data(), O_CLOEXEC) == 0);
    return {descriptor{fds[0]}, descriptor{fds[1]}};
}

// A transport between two pipes that writes down what happens.
struct harness {
    pipe_pair in = make_pipe(), out = make_pipe();
    boost::asio::io_context io;
    lines seen;
    std::function<void(std::string_view)> also = [](std::string_view) {};
    std::optional<stdio_transport> transport;

    explicit harness(std::optional<int> input = {}) {
        transport.emplace(
            io, input.value_or(in.read.get()), out.write.get(),
            stdio_events{[this](std::string_view l) {
                             seen.emplace_back(l);
                             also(l);
                         },
                         [this] { seen.emplace_back("<too long>"); }, [this] { seen.emplace_back("<end>"); }});
    }
    std::string written() {
        out.write.close();
        return out.read.rest();
    }
};

descriptor file_with(std::string_view text) {
    std::string name = "/tmp/gdal-mcp-stdio-XXXXXX";
    descriptor d{::mkstemp(name.data())};
    ::unlink(name.c_str());
    d.put(text);
    REQUIRE(::lseek(d.get(), 0, SEEK_SET) == 0);
    return d;
}

}  // namespace

TEST_CASE("lines come in order, then the end, once") {
    harness h;
    h.in.write.put("a\nb\r\nlast");
    h.in.write.close();
    h.io.run();
    CHECK(h.seen == lines{"a", "b", "last", "<end>"});
}

TEST_CASE("a line that comes in pieces is one line") {
    harness h;
    h.in.write.put("{\"half\":");
    h.io.poll();
    CHECK(h.seen.empty());
    h.in.write.put("1}\n{");
    h.io.poll();
    CHECK(h.seen == lines{"{\"half\":1}"});
    h.in.write.put("}\n");
    h.in.write.close();
    h.io.run();
    CHECK(h.seen == lines{"{\"half\":1}", "{}", "<end>"});
}

TEST_CASE("a plain file is read to its end: gdal-mcp < script.jsonl") {
    const auto script = file_with("one\ntwo\n");
    harness h{script.get()};
    h.io.run();
    CHECK(h.seen == lines{"one", "two", "<end>"});
}

TEST_CASE("/dev/null is an input that ends at once") {
    const descriptor null{::open("/dev/null", O_RDONLY | O_CLOEXEC)};
    harness h{null.get()};
    h.io.run();
    CHECK(h.seen == lines{"<end>"});
}

TEST_CASE("behind a client that does not read no further lines are taken, and all of them once it reads") {
    const std::size_t asked = 10'000, answer = 10'000;  // 100 MB in all
    std::string script;
    for (std::size_t n = 0; n < asked; ++n) script += std::to_string(n) + "\n";
    const auto input = file_with(script);
    harness h{input.get()};
    h.also = [&](std::string_view) { h.transport->write(std::string(answer - 1, 'x')); };
    h.io.run_for(200ms);
    CHECK(h.seen.size() * answer > max_unread);
    CHECK(h.seen.size() * answer < 2 * max_unread);

    std::size_t got = 0;
    std::string b(1u << 20, '\0');
    while (got < asked * answer) {
        const auto n = ::read(h.out.read.get(), b.data(), b.size());
        REQUIRE(n > 0);
        got += static_cast<std::size_t>(n);
        h.io.restart();
        h.io.poll();
    }
    REQUIRE(h.seen.size() == asked + 1);
    CHECK(h.seen[asked - 1] == std::to_string(asked - 1));
    CHECK(h.seen[asked] == "<end>");
}

TEST_CASE("a client that reads nothing and closes its input has left, with lines still unread") {
    harness h;
    h.also = [&](std::string_view) { h.transport->write(std::string(1u << 20, 'x')); };
    std::string script;
    for (int n = 0; n < 40; ++n) script += "more\n";
    h.in.write.put(script);
    h.io.run_for(100ms);
    REQUIRE(h.seen.size() < 40);
    h.in.write.close();
    for (int n = 0; n < 600 && h.seen.back() != "<end>"; ++n) h.io.run_for(100ms);
    CHECK(h.seen.back() == "<end>");
    CHECK(h.seen.size() < 40);
}

TEST_CASE("a line over 16 MiB is reported and the next one is read") {
    auto text = std::string(max_line + 1, 'x') + "\nnext\n";
    const auto script = file_with(text);
    harness h{script.get()};
    h.io.run();
    CHECK(h.seen == lines{"<too long>", "next", "<end>"});
}

TEST_CASE("a line of 16 MiB is a line") {
    const auto script = file_with(std::string(max_line, 'x') + "\n");
    harness h{script.get()};
    h.io.run();
    REQUIRE(h.seen.size() == 2);
    CHECK(h.seen[0].size() == max_line);
}

TEST_CASE("lines larger than the pipe are written whole, in order, without blocking the reader of input") {
    harness h;
    const std::string big(300'000, 'b');  // a pipe takes 65 536 bytes
    h.transport->write(big);
    h.transport->write("small");
    h.in.write.put("ping\n");
    h.io.poll();
    CHECK(h.seen == lines{"ping"});  // though most of the output still waits

    std::string got;
    std::array<char, 65536> b{};
    while (got.size() < big.size() + 7) {
        const auto n = ::read(h.out.read.get(), b.data(), b.size());
        REQUIRE(n > 0);
        got.append(b.data(), static_cast<std::size_t>(n));
        h.io.poll();
    }
    CHECK(got == big + "\nsmall\n");
}

TEST_CASE("flush writes all queued lines, waiting ones included") {
    harness h;
    const std::string big(200'000, 'b');
    h.transport->write(big);
    h.transport->write("last");
    h.io.poll();
    std::string got;
    // The reader empties the pipe from another process, as a client would.
    auto copy = make_pipe();
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        ::close(h.out.write.get());
        std::array<char, 65536> b{};
        std::size_t total = 0;
        char tail = 0;
        for (ssize_t n = 0; total < big.size() + 6 && (n = ::read(h.out.read.get(), b.data(), b.size())) > 0;) {
            total += static_cast<std::size_t>(n);
            tail = b[static_cast<std::size_t>(n) - 1];
        }
        const auto report = std::to_string(total) + (tail == '\n' ? " ends" : " torn");
        [[maybe_unused]] const auto n = ::write(copy.write.get(), report.data(), report.size());
        ::_exit(0);
    }
    CHECK(h.transport->flush(30s));
    copy.write.close();
    CHECK(copy.read.rest() == "200006 ends");
}

TEST_CASE("flush gives up on a client that does not read") {
    harness h;
    h.transport->write(std::string(200'000, 'b'));
    CHECK_FALSE(h.transport->flush(1ms));
}

TEST_CASE("a client that closed its end ends the transport, and later lines are dropped") {
    std::signal(SIGPIPE, SIG_IGN);
    harness h;
    h.out.read.close();
    h.transport->write("nobody reads this");
    h.io.poll();
    CHECK(h.seen == lines{"<end>"});
    h.transport->write("nor this");
    CHECK_FALSE(h.transport->flush(1ms));
    h.in.write.put("late\n");
    h.io.poll();
    CHECK(h.seen == lines{"<end>"});  // no event follows
}

TEST_CASE("a callback may write, and may destroy the transport") {
    harness h;
    h.also = [&](std::string_view l) {
        if (l == "stop")
            h.transport.reset();
        else
            h.transport->write("echo " + std::string{l});
    };
    h.in.write.put("a\nstop\nb\n");
    h.io.run();
    CHECK(h.seen == lines{"a", "stop"});
    CHECK(h.written() == "echo a\n");
}

TEST_CASE("descriptors get their flags back") {
    auto p = make_pipe();
    auto q = make_pipe();
    boost::asio::io_context io;
    {
        stdio_transport t{io, p.read.get(), q.write.get(), {[](std::string_view) {}, [] {}, [] {}}};
        CHECK((::fcntl(p.read.get(), F_GETFL) & O_NONBLOCK) != 0);
    }
    CHECK((::fcntl(p.read.get(), F_GETFL) & O_NONBLOCK) == 0);
    CHECK((::fcntl(q.write.get(), F_GETFL) & O_NONBLOCK) == 0);
    io.run();  // what was posted finds nothing to do
}

TEST_CASE("one socket, duplicated, carries both directions") {
    std::array<int, 2> fds{};
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds.data()) == 0);
    const descriptor ours{fds[0]}, theirs{fds[1]}, dup{::dup(fds[0])};
    boost::asio::io_context io;
    lines seen;
    stdio_transport t{io,
                      ours.get(),
                      dup.get(),
                      {[&](std::string_view l) {
                           seen.emplace_back(l);
                           t.write("got it");
                       },
                       [] {}, [&] { seen.emplace_back("<end>"); }}};
    theirs.put("hello\n");
    ::shutdown(theirs.get(), SHUT_WR);
    io.run();
    CHECK(seen == lines{"hello", "<end>"});
    std::array<char, 16> b{};
    CHECK(::read(theirs.get(), b.data(), b.size()) == 7);
}

TEST_CASE("after keep_stdout_private, printed text goes to stderr and the protocol to stdout") {
    auto out = make_pipe(), err = make_pipe();
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        ::dup2(out.write.get(), 1);
        ::dup2(err.write.get(), 2);
        const auto kept = keep_stdout_private();
        if (!kept) ::_exit(1);
        const bool closes = (::fcntl(*kept, F_GETFD) & FD_CLOEXEC) != 0;
        [[maybe_unused]] auto n = ::write(1, "noise", 5);
        n = ::write(*kept, closes ? "line" : "leaks", 4);
        ::_exit(0);
    }
    out.write.close();
    err.write.close();
    CHECK(out.read.rest() == "line");
    CHECK(err.read.rest() == "noise");
}
