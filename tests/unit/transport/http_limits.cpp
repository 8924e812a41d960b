#include "http_client.hpp"

using namespace http_test;

namespace {

// The status with which a server of these limits answers `bytes`, after which the connection must be closed.
int refusal(const std::string& bytes, const http_limits& limits = {}) {
    fixture f{limits};
    auto c = f.connect();
    c.send(bytes);
    const auto r = c.read_response();
    CHECK(r.has("Connection: close"));
    CHECK(r.has("X-Content-Type-Options: nosniff"));
    CHECK_FALSE(r.body.empty());
    CHECK(c.read_to_end().empty());
    CHECK(f.seen.empty());
    CHECK(f.server->counters().refused_requests == 1);
    return r.status();
}

http_limits small() {
    http_limits l;
    l.header_bytes = 200;
    l.body_bytes = 100;
    return l;
}

}  // namespace

TEST_CASE("http: an invalid request is answered 400 and closed") {
    CHECK(refusal("hello\r\n\r\n") == 400);
    CHECK(refusal("GET / HTTP/1.1\r\nHost: h\r\nX : 1\r\n\r\n") == 400);
    CHECK(refusal("GET / HTTP/1.1\r\nHost: h\r\nX: 1\r\n folded\r\n\r\n") == 400);
    CHECK(refusal(std::string{"\x16\x03\x01\x02\x00", 5}) == 400);  // TLS, at its first byte
    CHECK(refusal("GET / HTTP/2.0\r\nHost: h\r\n\r\n") == 505);
}

TEST_CASE("http: a head over the limit is 431, at the limit it is read") {
    const std::string start = "GET / HTTP/1.1\r\nHost: h\r\nX: ";
    CHECK(refusal(start + std::string(1000, 'x'), small()) == 431);
    fixture f{small()};
    auto c = f.connect();
    c.send(start + std::string(200 - start.size() - 4, 'x') + "\r\n\r\n");
    CHECK(c.read_response().status() == 200);
}

TEST_CASE("http: a body over the limit is 413 before it is sent, and a client that waits is not asked for it") {
    CHECK(refusal("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 101\r\n\r\n", small()) == 413);
    CHECK(refusal("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 101\r\nExpect: 100-continue\r\n\r\n", small()) == 413);
    CHECK(refusal("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n65\r\n", small()) == 413);
    CHECK(refusal("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n64\r\n" + std::string(100, 'x') +
                      "\r\n1\r\n",
                  small()) == 413);
    fixture f{small()};
    auto c = f.connect();
    c.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 100\r\n\r\n" + std::string(100, 'x'));
    CHECK(c.read_response().status() == 200);
}

TEST_CASE("http: a client that sends a body over the limit anyway reads the refusal first, and is then cut") {
    fixture f{small()};
    auto c = f.connect();
    c.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 50000000\r\n\r\n");
    CHECK(c.read_response().status() == 413);
    c.send(std::string(50'000'000, 'x'));
    CHECK(c.read_to_end().empty());
    CHECK(f.server->counters().bytes_in < 10'000'000);
}

TEST_CASE("http: an unwanted body is not read or requested; its head is answered and the connection closed") {
    const std::string lengths[] = {"Content-Length: 5000000\r\n", "Transfer-Encoding: chunked\r\n",
                                   "Content-Length: 5\r\nExpect: 100-continue\r\n"};
    for (const auto& length : lengths) {
        fixture f;
        f.wants_body = [](const http_request& head) { return head.path != "/no"; };
        f.answer = [](const http_request& r, const auto& reply) { reply->respond(401, {}, r.path); };
        auto c = f.connect();
        c.send("POST /no HTTP/1.1\r\nHost: h\r\n" + length + "\r\n");
        const auto r = c.read_response();
        CHECK(r.status() == 401);
        CHECK(r.body == "/no");
        CHECK(r.has("Connection: close"));
        c.send(std::string(1'000'000, 'x'));
        CHECK(c.read_to_end().empty());
        REQUIRE(f.seen.size() == 1);
        CHECK(f.seen[0].body.empty());
    }
}

TEST_CASE("http: a request with a body that is wanted, or with none, is asked about at most once and goes on") {
    fixture f;
    std::vector<std::string> asked;
    f.wants_body = [&](const http_request& head) {
        asked.push_back(head.path);
        return true;
    };
    auto c = f.connect();
    c.send("POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\n\r\nab");
    c.send("cd" + get("/b"));
    CHECK(c.read_response().body == "/a");
    CHECK(c.read_response().body == "/b");
    CHECK(asked == std::vector<std::string>{"/a"});
    CHECK(f.seen.at(0).body == "abcd");
}

TEST_CASE("http: a head that does not come in time is 408, also when it comes in drips") {
    http_limits l;
    l.header_time = 20ms;
    fixture f{l};
    auto c = f.connect();
    while (f.server->counters().timeouts == 0) {
        c.send("X");
        f.io.restart();
        f.io.run_one_for(1ms);
    }
    CHECK(c.read_response().status() == 408);
    CHECK(c.read_to_end().empty());
    CHECK(f.server->counters().timeouts == 1);
}

TEST_CASE("http: a body that does not come in time is 408") {
    http_limits l;
    l.body_time = 20ms;
    CHECK(refusal("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhel", l) == 408);
}

TEST_CASE(
    "http: a connection without a request is closed after a while without a word, before the first and after one") {
    http_limits l;
    l.idle = 20ms;
    fixture f{l};
    auto c = f.connect();
    CHECK(c.read_to_end().empty());
    auto d = f.connect();
    d.send(get("/"));
    CHECK(d.read_response().status() == 200);
    CHECK(d.read_to_end().empty());
    CHECK(f.server->counters().refused_requests == 0);
}

TEST_CASE("http: the time limits of reading do not hold while a reply is open") {
    http_limits l;
    l.idle = l.header_time = l.body_time = 20ms;
    fixture f{l};
    std::shared_ptr<http_reply> reply;
    f.answer = [&](const http_request& q, std::shared_ptr<http_reply> r) {
        if (q.path == "/slow")
            reply = std::move(r);
        else
            r->respond(200, {}, "");
    };
    auto slow = f.connect(), other = f.connect();
    slow.send(get("/slow") + "GET /half");
    f.until([&] { return reply != nullptr; });
    CHECK(other.read_to_end().empty());  // so the time is over
    reply->respond(200, {}, "done");
    CHECK(slow.read_response().body == "done");
}

TEST_CASE("http: one connection more than the limit is answered 503, and there is room again when one goes") {
    http_limits l;
    l.connections = 2;
    fixture f{l};
    auto a = f.connect(), b = f.connect();
    f.until([&] { return f.server->connections() == 2; });
    auto c = f.connect();
    c.send(get("/"));
    CHECK(c.read_response().status() == 503);
    CHECK(c.read_to_end().empty());
    CHECK(f.server->connections() == 2);
    CHECK(f.server->counters().refused_for_limit == 1);
    a.close();
    f.until([&] { return f.server->connections() == 1; });
    auto d = f.connect();
    d.send(get("/d"));
    CHECK(d.read_response().body == "/d");
}

TEST_CASE("http: of many connections over the limit not all are held to be answered") {
    http_limits l;
    l.connections = 1;
    fixture f{l};
    auto a = f.connect();
    f.until([&] { return f.server->connections() == 1; });
    std::vector<client> more;
    for (int i = 0; i < 100; ++i) more.push_back(f.connect());
    int answered = 0;
    for (auto& c : more)
        if (c.read_to_end().substr(0, 12) == "HTTP/1.1 503") ++answered;
    CHECK(answered == 64);
    CHECK(f.server->counters().refused_for_limit == 100);
}

TEST_CASE("http: a stream whose client does not read is cut at its backlog, and others are served meanwhile") {
    http_limits l;
    l.backlog_bytes = 1u << 20;
    fixture f{l};
    std::shared_ptr<http_reply> stream;
    bool gone = false;
    f.answer = [&](const http_request& q, std::shared_ptr<http_reply> r) {
        if (q.path != "/stream") return r->respond(200, {}, "served");
        stream = std::move(r);
        stream->on_gone([&] { gone = true; });
        stream->begin_stream(200, {});
    };
    auto slow = f.connect(4096), other = f.connect();
    slow.send(get("/stream"));
    f.until([&] { return stream != nullptr; });
    int written = 0;
    while (!stream->closed()) {
        stream->write(std::string(64u << 10, 'x'));
        CHECK(stream->queued() <= l.backlog_bytes);
        other.send(get("/"));
        REQUIRE(other.read_response().body == "served");
        REQUIRE(++written < 1000);  // 64 MB: more than any socket buffer
    }
    f.until([&] { return gone; });
    CHECK(f.server->counters().slow_readers == 1);
    CHECK(f.server->connections() == 1);
}

TEST_CASE("http: a client that takes nothing of its reply for too long is cut") {
    http_limits l;
    l.slow_reader = 20ms;
    fixture f{l};
    f.answer = [](const http_request&, const std::shared_ptr<http_reply>& r) {
        r->respond(200, {}, std::string(30'000'000, 'x'));
    };
    auto c = f.connect(4096);
    c.send(get("/"));
    f.until([&] { return f.server->counters().slow_readers == 1; });
    CHECK(f.server->connections() == 0);
    CHECK(f.server->counters().bytes_out < 30'000'000);
}

TEST_CASE("http: 200 connections at once are served, each its own") {
    fixture f;
    std::vector<client> clients;
    for (int i = 0; i < 200; ++i) clients.push_back(f.connect());
    for (int round = 0; round < 3; ++round) {
        for (std::size_t i = 0; i < clients.size(); ++i) clients[i].send(get("/" + std::to_string(i)));
        for (std::size_t i = 0; i < clients.size(); ++i)
            REQUIRE(clients[i].read_response().body == "/" + std::to_string(i));
    }
    CHECK(f.server->connections() == 200);
    clients.clear();
    f.until([&] { return f.server->connections() == 0; });
}
