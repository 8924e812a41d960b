#include "runner/frame.hpp"

#include <sys/socket.h>

#include <array>
#include <atomic>
#include <thread>

#include "catch.hpp"
#include "runner/descriptor.hpp"

using namespace gdalmcp;
using namespace gdalmcp::runner;

namespace {
struct pair {
    pair() {
        std::array<int, 2> fds{};
        REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, fds.data()) == 0);
        a.reset(fds[0]);
        b.reset(fds[1]);
    }
    descriptor a, b;
};
}  // namespace

TEST_CASE("a frame is its length in little endian and its JSON") {
    pair p;
    REQUIRE(write_frame(p.a.get(), {{"kind", "stop"}}));
    std::array<unsigned char, 64> bytes{};
    REQUIRE(::recv(p.b.get(), bytes.data(), bytes.size(), 0) == 4 + 15);
    CHECK(bytes[0] == 15);
    CHECK(bytes[1] + bytes[2] + bytes[3] == 0);
    CHECK(std::string(bytes.begin() + 4, bytes.begin() + 19) == R"({"kind":"stop"})");
}

TEST_CASE("frames arrive whole, however the bytes are cut") {
    pair p;
    REQUIRE(write_frame(p.a.get(), {{"n", 1}}));
    REQUIRE(write_frame(p.a.get(), {{"n", 2}}));
    std::array<char, 64> bytes{};
    const auto total = ::recv(p.b.get(), bytes.data(), bytes.size(), 0);
    frame_reader reader;
    pair q;
    std::vector<std::int64_t> seen;
    for (ssize_t i = 0; i < total; ++i) {
        REQUIRE(::send(q.a.get(), &bytes[static_cast<std::size_t>(i)], 1, 0) == 1);
        CHECK(reader.receive(q.b.get()));
        while (auto f = reader.next().value()) seen.push_back(f->at("n").get_int64());
    }
    CHECK(seen == std::vector<std::int64_t>{1, 2});
}

TEST_CASE("reading from a constant writer returns after a MiB") {
    pair p;
    std::atomic<bool> stop = false;
    std::thread writer{[&] {
        const std::string block(1 << 16, 'x');
        while (!stop && ::send(p.a.get(), block.data(), block.size(), MSG_NOSIGNAL) > 0) {}
    }};
    frame_reader reader;
    for (int i = 0; i < 3; ++i) CHECK(reader.receive(p.b.get()));
    stop = true;
    p.b.reset(-1);
    writer.join();
}

TEST_CASE("invalid frames are refused: too long, not JSON, cut off") {
    pair p;
    const std::string absurd = "\xff\xff\xff\x7f";
    REQUIRE(::send(p.a.get(), absurd.data(), absurd.size(), 0) == 4);
    CHECK_FALSE(read_frame(p.b.get()));
    pair q;
    const std::string garbage{"\x02\0\0\0[]", 6};
    REQUIRE(::send(q.a.get(), garbage.data(), garbage.size(), 0) == 6);
    CHECK_FALSE(read_frame(q.b.get()));
    pair r;
    REQUIRE(::send(r.a.get(), garbage.data(), 5, 0) == 5);
    r.a.reset();
    CHECK(read_frame(r.b.get()).error().code == base::code::io);
}
