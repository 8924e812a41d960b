#include <fcntl.h>

#include "http_client.hpp"

using namespace http_test;

namespace {

int file_with(const std::string& text) {
    std::string name = "/tmp/gdal-mcp-http-XXXXXX";
    const int fd = ::mkstemp(name.data());
    REQUIRE(fd >= 0);
    ::unlink(name.c_str());
    REQUIRE(::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size()));
    return fd;
}

bool is_open(int fd) { return ::fcntl(fd, F_GETFD) >= 0; }

}  // namespace

TEST_CASE("http: requests come one after the other over one connection") {
    fixture f;
    auto c = f.connect();
    c.send("POST /a%20b?x=1&y HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\nX-Two: 1\r\nx-two:  2 \r\n\r\nhello");
    CHECK(c.read_response().body == "/a b");
    c.send(
        "POST /c HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nwor\r\n2;x=y\r\nld\r\n0\r\nX-Late: "
        "1\r\n\r\n");
    CHECK(c.read_response().body == "/c");
    REQUIRE(f.seen.size() == 2);
    CHECK(f.seen[0].method == "POST");
    CHECK(f.seen[0].target == "/a%20b?x=1&y");
    CHECK(f.seen[0].query == "x=1&y");
    CHECK(f.seen[0].body == "hello");
    CHECK(f.seen[0].peer_address == "127.0.0.1");
    CHECK(f.seen[0].field("X-TWO") == "1");
    CHECK(f.seen[0].count("x-two") == 2);
    CHECK_FALSE(f.seen[0].field("x-three"));
    CHECK(f.seen[1].body == "world");
    CHECK_FALSE(f.seen[1].field("x-late"));
    CHECK(f.server->counters().accepted == 1);
    CHECK(f.server->counters().requests == 2);
}

TEST_CASE("http: a request that comes byte by byte is a request") {
    fixture f;
    auto c = f.connect();
    for (const char b :
         std::string{"POST /x HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n"}) {
        c.send({&b, 1});
        f.io.poll();
    }
    CHECK(c.read_response().body == "/x");
    CHECK(f.seen[0].body == "a");
}

TEST_CASE("http: pipelined requests are answered in their order, the next one only after the reply to the one before") {
    fixture f;
    std::vector<std::shared_ptr<http_reply>> open;
    f.answer = [&](const http_request&, std::shared_ptr<http_reply> r) { open.push_back(std::move(r)); };
    auto c = f.connect();
    c.send(get("/1") + get("/2") + get("/3"));
    f.until([&] { return open.size() == 1; });
    f.io.poll();
    CHECK(open.size() == 1);
    open[0]->respond(200, {}, "one");
    f.until([&] { return open.size() == 2; });
    open[1]->respond(200, {}, "two");
    f.until([&] { return open.size() == 3; });
    open[2]->respond(200, {}, "three");
    CHECK(c.read_response().body == "one");
    CHECK(c.read_response().body == "two");
    CHECK(c.read_response().body == "three");
}

TEST_CASE("http: a pipeline of thousands of requests is answered whole") {
    fixture f;
    auto c = f.connect();
    std::string all;
    for (int i = 0; i < 5000; ++i) all += get("/" + std::to_string(i));
    c.send(all);
    for (int i = 0; i < 5000; ++i) REQUIRE(c.read_response().body == "/" + std::to_string(i));
}

TEST_CASE("http: every response has Date, Server and X-Content-Type-Options") {
    fixture f;
    f.answer = [](const http_request&, const std::shared_ptr<http_reply>& r) {
        r->respond(201, {{"X-Mine", "a\r\nSet-Cookie: b"}}, "x");
    };
    auto c = f.connect();
    c.send(get("/"));
    const auto r = c.read_response();
    CHECK(r.head.substr(0, 22) == "HTTP/1.1 201 Created\r\n");
    CHECK(r.has("Server: gdal-mcp"));
    CHECK(r.has("X-Content-Type-Options: nosniff"));
    CHECK(r.has("X-Mine: a  Set-Cookie: b"));  // one field, not two
    CHECK(r.head.find("\r\nDate: ") != std::string::npos);
    CHECK(r.head.find(" GMT\r\n") != std::string::npos);
}

TEST_CASE("http: the reply to HEAD has the length and not the body, of a text, a file and a stream") {
    fixture f;
    const int fd = file_with("0123456789");
    f.answer = [&](const http_request& q, const std::shared_ptr<http_reply>& r) {
        if (q.path == "/text") r->respond(200, {}, "hello");
        if (q.path == "/file") r->respond_file(200, {}, fd, 0, 10);
        if (q.path != "/stream") return;
        r->begin_stream(200, {});
        r->write("x");
        r->end();
    };
    auto c = f.connect();
    for (const auto* const path : {"/text", "/file", "/stream"})
        c.send("HEAD " + std::string{path} + " HTTP/1.1\r\nHost: h\r\n\r\n");
    CHECK(c.read_response(true).has("Content-Length: 5"));
    CHECK(c.read_response(true).has("Content-Length: 10"));
    CHECK(c.read_response(true).has("Transfer-Encoding: chunked"));
    CHECK_FALSE(is_open(fd));
    c.send(get("/text"));
    CHECK(c.read_response().body == "hello");  // nothing lay between
}

TEST_CASE("http: 204 and 304 have neither body nor length") {
    fixture f;
    f.answer = [](const http_request& q, const std::shared_ptr<http_reply>& r) {
        r->respond(q.path == "/204" ? 204 : 304, {}, "not sent");
    };
    auto c = f.connect();
    c.send(get("/204") + get("/304"));
    for (int i = 0; i < 2; ++i) CHECK(c.read_response().head.find("Content-Length") == std::string::npos);
}

TEST_CASE("http: a part of a file is sent, larger than what is held in memory, and its descriptor closed") {
    fixture f;
    std::string text;
    while (text.size() < 3'000'000) text += std::to_string(text.size()) + ",";
    const int fd = file_with(text);
    std::shared_ptr<http_reply> reply;
    f.answer = [&](const http_request&, const std::shared_ptr<http_reply>& r) {
        r->respond_file(206, {{"Content-Range", "bytes 7-2000006/*"}}, fd, 7, 2'000'000);
    };
    auto c = f.connect();
    c.send(get("/file"));
    const auto r = c.read_response();
    CHECK(r.status() == 206);
    CHECK(r.body == text.substr(7, 2'000'000));
    CHECK_FALSE(is_open(fd));
}

TEST_CASE("http: a file that is shorter than said cuts the connection, so that the client knows") {
    fixture f;
    const int fd = file_with("short");
    f.answer = [&](const http_request&, const std::shared_ptr<http_reply>& r) { r->respond_file(200, {}, fd, 0, 10); };
    auto c = f.connect();
    c.send(get("/file"));
    const auto all = c.read_to_end();
    CHECK(all.substr(all.size() - 5) == "short");
    CHECK_FALSE(is_open(fd));
}

TEST_CASE("http: the descriptor of a file is closed also when the client has gone") {
    fixture f;
    std::shared_ptr<http_reply> reply;
    f.answer = [&](const http_request&, std::shared_ptr<http_reply> r) { reply = std::move(r); };
    {
        auto c = f.connect();
        c.send(get("/file"));
        f.until([&] { return reply != nullptr; });
    }
    f.until([&] { return reply->closed(); });
    const int fd = file_with("x");
    reply->respond_file(200, {}, fd, 0, 1);
    CHECK_FALSE(is_open(fd));
}

TEST_CASE("http: a stream comes in chunks as they are written, and its end ends it") {
    fixture f;
    std::shared_ptr<http_reply> reply;
    f.answer = [&](const http_request&, std::shared_ptr<http_reply> r) {
        reply = std::move(r);
        reply->begin_stream(200, {{"Content-Type", "text/event-stream"}});
    };
    auto c = f.connect();
    c.send(get("/events"));
    const response r{c.read_through("\r\n\r\n"), ""};
    CHECK(r.has("Transfer-Encoding: chunked"));
    CHECK(r.has("Content-Type: text/event-stream"));
    reply->write("first");
    CHECK(c.read_through("\r\nfirst\r\n") == "5\r\nfirst\r\n");
    reply->write("");  // would be the end
    reply->write(std::string(300, 'x'));
    CHECK(c.read_through("x\r\n") == "12c\r\n" + std::string(300, 'x') + "\r\n");
    CHECK_FALSE(reply->closed());
    reply->end();
    CHECK(c.read_through("\r\n\r\n") == "0\r\n\r\n");
    CHECK(reply->closed());
    reply->write("late");
    c.send(get("/again"));
    CHECK(c.read_through("\r\n\r\n").substr(0, 12) == "HTTP/1.1 200");
}

TEST_CASE("http: a reply dropped unanswered is a 500, a stream dropped before its end is cut") {
    fixture f;
    f.answer = [&](const http_request& q, const std::shared_ptr<http_reply>& r) {
        if (q.path != "/stream") return;
        r->begin_stream(200, {});
        r->write("part");
    };
    auto c = f.connect();
    c.send(get("/forgotten"));
    CHECK(c.read_response().status() == 500);
    c.send(get("/stream"));
    const auto all = c.read_to_end();
    CHECK(all.substr(all.size() - 9) == "4\r\npart\r\n");  // and no last chunk
}

TEST_CASE("http: Connection: close and HTTP/1.0 end the connection after the reply, with all of it delivered") {
    fixture f;
    const std::string large(3'000'000, 'x');
    f.answer = [&](const http_request&, const std::shared_ptr<http_reply>& r) { r->respond(200, {}, large); };
    for (const auto* const head :
         {"GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n", "GET / HTTP/1.0\r\n\r\n"}) {
        auto c = f.connect();
        c.send(head);
        c.send(get("/never-read"));
        const auto all = c.read_to_end();
        CHECK(all.find("\r\nConnection: close\r\n") != std::string::npos);
        CHECK(all.size() == all.find("\r\n\r\n") + 4 + large.size());
    }
    CHECK(f.seen.size() == 2);
}

TEST_CASE("http: a stream to an HTTP/1.0 client has no chunks and ends with the connection") {
    fixture f;
    f.answer = [](const http_request&, const std::shared_ptr<http_reply>& r) {
        r->begin_stream(200, {});
        r->write("one,");
        r->write("two");
        r->end();
    };
    auto c = f.connect();
    c.send("GET / HTTP/1.0\r\n\r\n");
    const auto all = c.read_to_end();
    CHECK(all.find("chunked") == std::string::npos);
    CHECK(all.substr(all.find("\r\n\r\n")) == "\r\n\r\none,two");
}

TEST_CASE("http: a client that holds its body back gets 100 Continue") {
    fixture f;
    auto c = f.connect();
    c.send("POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n");
    CHECK(c.read_through("\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n");
    c.send("ok");
    CHECK(c.read_response().body == "/x");
    c.send("POST /y HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\nok");
    CHECK(c.read_response().body == "/y");  // it did not wait
}

TEST_CASE("http: no process that the host starts inherits a connection or what listens for them") {
    fixture f;
    auto c = f.connect();
    f.until([&] { return f.server->connections() == 1; });
    int ours = 0;
    for (int fd = 3; fd < 256; ++fd) {
        sockaddr_in a{};
        socklen_t size = sizeof a;
        if (::getsockname(fd, reinterpret_cast<sockaddr*>(&a), &size) != 0 || ntohs(a.sin_port) != f.port) continue;
        ++ours;
        CHECK((::fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0);
    }
    CHECK(ours == 2);
}

TEST_CASE("http: the server listens on an IPv6 address, or names it where there is none") {
    fixture f;
    const auto port = f.server->listen("::1", 0);
    if (port)
        CHECK(*port != 0);
    else  // a machine without IPv6
        CHECK(port.error().message.substr(0, 26) == "cannot listen on [::1]:0: ");
}

TEST_CASE("http: an unusable address is refused with its name and a next step") {
    fixture f;
    const auto taken = f.server->listen("127.0.0.1", f.port);
    REQUIRE_FALSE(taken);
    CHECK(taken.error().message == "cannot listen on 127.0.0.1:" + std::to_string(f.port) + ": Address already in use");
    CHECK(taken.error().hint.find("another port") != std::string::npos);
    const auto foreign = f.server->listen("192.0.2.1", 0);
    REQUIRE_FALSE(foreign);
    CHECK(foreign.error().message.find("192.0.2.1:0") != std::string::npos);
    CHECK(foreign.error().hint.find("127.0.0.1") != std::string::npos);
    const auto name = f.server->listen("example.org", 80);
    REQUIRE_FALSE(name);
    CHECK(name.error().message == "'example.org' is not an IP address");
    CHECK(f.server->listen("localhost", 0));
}
