#include "transport/sse.hpp"

#include "catch.hpp"

using namespace gdalmcp::transport;
using namespace std::chrono_literals;

TEST_CASE("an event is its name and its data, then an empty line") {
    CHECK(to_text({.data = "{}"}) == "event: message\ndata: {}\n\n");
    CHECK(to_text({.event = "ping", .data = ""}) == "event: ping\ndata: \n\n");
}

TEST_CASE("an event may carry its id and how long to wait before connecting again") {
    CHECK(to_text({.data = "", .id = "7", .retry = 500ms}) == "event: message\nid: 7\nretry: 500\ndata: \n\n");
}

TEST_CASE("every line of the data is a data line, however lines end, so that data cannot begin a field") {
    CHECK(to_text({.data = "a\nid: 9\r\nb\rc\n"}) ==
          "event: message\ndata: a\ndata: id: 9\ndata: b\ndata: c\ndata: \n\n");
}

TEST_CASE("what keeps a quiet stream alive is a comment") { CHECK(sse_keep_alive == ":\n\n"); }
