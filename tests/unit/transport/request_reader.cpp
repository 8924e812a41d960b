#include "transport/request_reader.hpp"

#include "catch.hpp"

using namespace gdalmcp::transport;
using stage = request_reader::stage;

namespace {

// The one request in `bytes`.
http_request read(std::string_view bytes) {
    request_reader r{1000, 1000};
    while (!bytes.empty() && r.at() != stage::whole && r.at() != stage::refused) bytes.remove_prefix(r.feed(bytes));
    INFO(r.refused().why);
    REQUIRE(r.at() == stage::whole);
    CHECK(bytes.empty());
    return r.take();
}

// The status with which `bytes` are refused; 0 when they are not.
int refused(std::string_view bytes) {
    request_reader r{1000, 1000};
    while (!bytes.empty() && r.at() != stage::whole && r.at() != stage::refused) bytes.remove_prefix(r.feed(bytes));
    if (r.at() != stage::refused) return 0;
    CHECK_FALSE(r.refused().why.empty());
    CHECK(r.feed("GET / HTTP/1.1\r\nHost: h\r\n\r\n") == 0);  // for good
    return r.refused().status;
}

int refused_with(const std::string& fields, const std::string& body = "") {
    return refused("POST / HTTP/1.1\r\nHost: h\r\n" + fields + "\r\n" + body);
}

http_request to(const std::string& target) { return read("GET " + target + " HTTP/1.1\r\nHost: h:1\r\n\r\n"); }

}  // namespace

TEST_CASE("two lengths, and a length beside chunks, are refused, equal or not, in either order") {
    CHECK(refused_with("Content-Length: 1\r\n", "a") == 0);
    CHECK(refused_with("Content-Length: 1\r\nContent-Length: 2\r\n") == 400);
    CHECK(refused_with("Content-Length: 1\r\nContent-Length: 1\r\n") == 400);
    CHECK(refused_with("Content-Length: 1, 1\r\n") == 400);
    CHECK(refused_with("Content-Length: 1\r\nTransfer-Encoding: chunked\r\n") == 400);
    CHECK(refused_with("Transfer-Encoding: chunked\r\nContent-Length: 1\r\n") == 400);
    CHECK(refused_with("Transfer-Encoding: gzip\r\nContent-Length: 1\r\n") == 400);
}

TEST_CASE("a length is digits and nothing else") {
    for (const std::string length : {"+1", "-1", "0x1", "1a", "", "1 1", "99999999999999999999999"})
        CHECK(refused_with("Content-Length: " + length + "\r\n") == 400);
    CHECK(refused_with("Content-Length: 1001\r\n") == 413);
    CHECK(refused_with("Content-Length: 18446744073709551615\r\n") == 413);
}

TEST_CASE("only the chunked transfer encoding is read, once, and in HTTP/1.1") {
    CHECK(refused_with("Transfer-Encoding: Chunked\r\n", "0\r\n\r\n") == 0);
    CHECK(refused_with("Transfer-Encoding: gzip\r\n") == 501);
    CHECK(refused_with("Transfer-Encoding: gzip, chunked\r\n") == 501);
    CHECK(refused_with("Transfer-Encoding: chunked, identity\r\n") == 501);
    CHECK(refused_with("Transfer-Encoding: xchunked\r\n") == 501);
    CHECK(refused_with("Transfer-Encoding: identity\r\nTransfer-Encoding: chunked\r\n") == 501);
    CHECK(refused_with("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n") == 400);
    CHECK(refused("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n") == 400);
}

TEST_CASE("bare line ends, folded lines, blanks before the colon and control characters are refused") {
    CHECK(refused("GET / HTTP/1.1\nHost: h\n\n") == 400);
    CHECK(refused("GET / HTTP/1.1\r\nHost: h\r\nX: a\rb\r\n\r\n") == 400);
    CHECK(refused("GET / HTTP/1.1\r\nHost: h\r\nX: a\r\r\n\r\n") == 400);
    CHECK(refused_with("X: a\r\n b\r\n") == 400);
    CHECK(refused_with("X: a\r\n\tb\r\n") == 400);
    CHECK(refused(" GET / HTTP/1.1\r\nHost: h\r\n\r\n") == 400);
    CHECK(refused("GET / HTTP/1.1\r\n Host: h\r\n\r\n") == 400);
    CHECK(refused_with("Content-Length : 1\r\n") == 400);
    CHECK(refused_with("no colon\r\n") == 400);
    CHECK(refused_with(": no name\r\n") == 400);
    CHECK(refused_with(std::string{"X: a\0b\r\n", 8}) == 400);
    CHECK(refused_with("X: a\x7f\r\n") == 400);
    CHECK(refused("GET  / HTTP/1.1\r\nHost: h\r\n\r\n") == 400);
    CHECK(refused("GET / HTTP/1.1 \r\nHost: h\r\n\r\n") == 400);
    CHECK(refused("GET /a b HTTP/1.1\r\nHost: h\r\n\r\n") == 400);
}

TEST_CASE("an unsupported version is distinguished from an invalid one") {
    CHECK(refused("GET / HTTP/2.0\r\nHost: h\r\n\r\n") == 505);
    CHECK(refused("GET / HTTP/0.9\r\nHost: h\r\n\r\n") == 505);
    CHECK(refused("PRI * HTTP/2.0\r\n\r\n") == 505);
    CHECK(refused("GET /\r\n\r\n") == 400);
    CHECK(refused("GET / FTP/1.1\r\nHost: h\r\n\r\n") == 400);
}

TEST_CASE("HTTP/1.1 names its host, once; HTTP/1.0 may be silent about it") {
    CHECK(refused("GET / HTTP/1.1\r\n\r\n") == 400);
    CHECK(refused("GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n") == 400);
    CHECK(refused("GET / HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n") == 400);
    CHECK(refused("GET / HTTP/1.0\r\n\r\n") == 0);
}

TEST_CASE("100-continue is the only supported expectation") {
    CHECK(refused_with("Expect: 100-Continue\r\n") == 0);
    CHECK(refused_with("Expect: a-miracle\r\n") == 417);
}

TEST_CASE("chunks that are broken are refused") {
    const std::string chunked = "Transfer-Encoding: chunked\r\n";
    CHECK(refused_with(chunked, "x\r\n") == 400);
    CHECK(refused_with(chunked, "-1\r\n") == 400);
    CHECK(refused_with(chunked, "1\r\nab\r\n0\r\n\r\n") == 400);
    CHECK(refused_with(chunked, "1\nab\r\n0\r\n\r\n") == 400);
    CHECK(refused_with(chunked, "1\r\na\n0\r\n\r\n") == 400);
    CHECK(refused_with(chunked, "0x1\r\na\r\n0\r\n\r\n") == 400);
    CHECK(refused_with(chunked, " 1\r\na\r\n0\r\n\r\n") == 400);
    CHECK(refused_with(chunked, "1 \r\na\r\n0\r\n\r\n") == 400);
    CHECK(refused_with(chunked, "1 2\r\na\r\n0\r\n\r\n") == 400);
    CHECK(refused_with(chunked, "\r\n\r\n") == 400);
    CHECK(refused_with(chunked, "1;a\nb\r\na\r\n0\r\n\r\n") == 400);
    CHECK(refused_with(chunked, "0\r\nno colon\r\n\r\n") == 400);
    CHECK(refused_with(chunked, "0\r\nX: a\r\n folded: b\r\n\r\n") == 400);
    CHECK(refused_with(chunked, "3e9\r\n") == 413);
    CHECK(refused_with(chunked, "ffffffffffffffff\r\n") == 413);
    CHECK(refused_with(chunked, "fffffffffffffffff\r\n") == 400);
    CHECK(refused_with(chunked, "1;" + std::string(2000, 'x')) == 431);
    CHECK(refused_with(chunked, "0\r\nX: " + std::string(2000, 'x')) == 431);
}

TEST_CASE("the size of a chunk may have zeros before it and extensions after it, which mean nothing") {
    const std::string head = "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n";
    CHECK(read(head + "0000000A\r\n0123456789\r\n000\r\n\r\n").body == "0123456789");
    CHECK(read(head + "1 ;a=\"b;\r\na\r\n2;;\r\nbc\r\n0;x\r\n\r\n").body == "abc");
}

TEST_CASE("trailers are not fields") {
    const auto r =
        read("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\nAuthorization: b\r\n\r\n");
    CHECK(r.body == "a");
    CHECK(r.count("authorization") == 0);
}

TEST_CASE("one empty line before a request is passed over, a broken or a second one is not") {
    CHECK(read("\r\nGET /a HTTP/1.1\r\nHost: h\r\n\r\n").path == "/a");
    CHECK(refused("\nGET / HTTP/1.1\r\nHost: h\r\n\r\n") == 400);
    CHECK(refused("\rGET / HTTP/1.1\r\nHost: h\r\n\r\n") == 400);
    CHECK(refused("\r\n\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n") == 400);
}

TEST_CASE("the path is decoded; one that is malformed is empty") {
    CHECK(to("/").path == "/");
    CHECK(to("/caf%C3%A9/%2e%2E/x").path == "/caf\xC3\xA9/../x");
    CHECK(to("/a+b").path == "/a+b");
    CHECK(to("/a?b%zz?c").path == "/a");
    CHECK(to("/a?b%zz?c").query == "b%zz?c");
    for (const auto* const bad : {"/%", "/%4", "/%zz", "/%00", "/%0a", "/%7F", "/a#b", "a", "*", "host:80", "?a"})
        CHECK(to(bad).path.empty());
}

TEST_CASE("an absolute target names the path and the host") {
    const auto r = to("HTTP://Other:8080/a%20b?c");
    CHECK(r.path == "/a b");
    CHECK(r.query == "c");
    CHECK(r.field("host") == "Other:8080");
    CHECK(r.target == "HTTP://Other:8080/a%20b?c");
    CHECK(to("http://other").path.empty());
    CHECK(to("https://other/").path.empty());
    CHECK(to("/http://other/").field("host") == "h:1");
}

TEST_CASE("a request to close the connection is distinguished from one to keep it") {
    const auto keeps = [](std::string_view bytes) {
        request_reader r{1000, 1000};
        r.feed(bytes);
        REQUIRE(r.at() == stage::whole);
        return r.keeps_alive();
    };
    CHECK(keeps("GET / HTTP/1.1\r\nHost: h\r\n\r\n"));
    CHECK_FALSE(keeps("GET / HTTP/1.1\r\nHost: h\r\nConnection: x, Close\r\n\r\n"));
    CHECK_FALSE(keeps("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"));
}

TEST_CASE("what follows a request is left for the next one") {
    request_reader r{1000, 1000};
    const std::string first = "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n",
                      rest = "1\r\na\r\n0\r\n\r\n";
    CHECK(r.feed(first + rest + "GET") == first.size());
    CHECK(r.feed(rest + "GET") == rest.size());
    CHECK(r.at() == stage::whole);
    CHECK(r.feed("GET") == 0);
    CHECK(r.take().body == "a");
    CHECK(r.at() == stage::nothing);
    CHECK(r.feed("GET") == 3);
    CHECK(r.at() == stage::head);
}
