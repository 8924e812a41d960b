#include "transport/host_names.hpp"

#include "catch.hpp"

using namespace gdalmcp::transport;

TEST_CASE("loopback is 127.0.0.0/8 and ::1 in every spelling, and no wildcard") {
    for (const auto* const yes :
         {"127.0.0.1", "127.255.0.9", "::1", "[::1]", "0:0:0:0:0:0:0:1", "::ffff:127.0.0.1", "localhost"})
        CHECK(is_loopback(yes));
    for (const auto* const no :
         {"0.0.0.0", "::", "128.0.0.1", "10.0.0.1", "::ffff:10.0.0.1", "127.0.0.1.example.org", "", "127"})
        CHECK_FALSE(is_loopback(no));
}

TEST_CASE("a host is compared without case, port and brackets") {
    CHECK(host_of("LocalHost:8080") == "localhost");
    CHECK(host_of("localhost:") == "localhost");
    CHECK(host_of("127.0.0.1") == "127.0.0.1");
    CHECK(host_of("[::1]:80") == "::1");
    CHECK(host_of("[0:0::1]") == "::1");
    CHECK(host_of("2001:DB8::1") == "2001:db8::1");
    CHECK(host_of("[::ffff:127.0.0.1]:80") == "127.0.0.1");
    for (const auto* const bad : {"", ":80", "a:b", "a:123456", "a b", "a/b", "user@a", "[::1", "[::1]x", "[::1]80",
                                  "[a]", "::g", "a:1:2", "a,b"})
        CHECK_FALSE(host_of(bad));
    CHECK_FALSE(host_of(std::string_view{"localhost\0.example.org", 22}));
    CHECK_FALSE(host_of(std::string_view{"::1\0x", 5}));
}

TEST_CASE("the hosts of a local server are its own names, at any port, and nothing that only looks like them") {
    const hosts_allowed hosts{default_hosts("127.0.0.1")};
    for (const auto* const yes : {"localhost", "localhost:3000", "LOCALHOST", "127.0.0.1:80", "[::1]:80", "[::1]"})
        CHECK(hosts.has_host(yes));
    for (const auto* const no : {"", "evil.example", "localhost.evil.example", "evil.localhost", "127.0.0.1.nip.io",
                                 "127.0.0.2", "0.0.0.0", "localhost:80@evil.example", "localhost."})
        CHECK_FALSE(hosts.has_host(no));
}

TEST_CASE("an origin is allowed by its host, of http and https only") {
    const hosts_allowed hosts{{"localhost", "Tools.Example.org", "not a host"}};
    CHECK(hosts.has_origin("http://localhost:6274"));
    CHECK(hosts.has_origin("HTTPS://tools.example.org"));
    for (const auto* const no :
         {"null", "", "localhost", "http://evil.example", "http://localhost.evil.example", "file://localhost",
          "http://localhost/x", "http://", "http://localhost http://evil.example", "://localhost"})
        CHECK_FALSE(hosts.has_origin(no));
}

TEST_CASE("the address listened on is a name of the server, unless it is a wildcard") {
    CHECK(hosts_allowed{default_hosts("192.0.2.7")}.has_host("192.0.2.7:80"));
    CHECK(hosts_allowed{default_hosts("2001:db8::7")}.has_host("[2001:db8::7]:80"));
    CHECK_FALSE(hosts_allowed{default_hosts("0.0.0.0")}.has_host("0.0.0.0"));
    CHECK_FALSE(hosts_allowed{default_hosts("::")}.has_host("[::]"));
    CHECK(hosts_allowed{default_hosts("0.0.0.0")}.has_host("localhost"));
}
