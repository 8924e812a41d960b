#include <cmath>
#include <limits>

#include "client.hpp"

using namespace gdalmcp::mcp;
namespace base = gdalmcp::base;

namespace {
double sent_fraction(const outcome& o) { return o.only().at("params").at("progress").to_number<double>(); }
}  // namespace

TEST_CASE("progress strictly increases") {
    client c;
    c.handshake();
    const auto key = c.call("1", "1");
    CHECK(sent_fraction(c.progress(key, 0)) == 0);
    CHECK(c.progress(key, 0).nothing());
    CHECK(sent_fraction(c.progress(key, 0.5)) == 0.5);
    CHECK(c.progress(key, 0.4).nothing());
    CHECK(c.progress(key, 0.5).nothing());
    CHECK(sent_fraction(c.progress(key, 7)) == 1);
    CHECK(c.progress(key, 8).nothing());
}

TEST_CASE("what is no fraction is not sent") {
    client c;
    c.handshake();
    const auto key = c.call("1", "1");
    CHECK(c.progress(key, std::nan("")).nothing());
    CHECK(sent_fraction(c.progress(key, -std::numeric_limits<double>::infinity())) == 0);
}

TEST_CASE("no progress without a token, none after the answer, none for another key") {
    client c;
    c.handshake();
    const auto silent = c.call("1");
    CHECK(c.progress(silent, 0.5).nothing());
    CHECK(outcome{c.p.heartbeat(silent, "waiting")}.nothing());
    const auto key = c.call("2", "\"t\"");
    c.answer(key);
    CHECK(c.progress(key, 0.5).nothing());
    CHECK(outcome{c.p.heartbeat(key, "waiting")}.nothing());
    CHECK(c.progress(key + 100, 0.5).nothing());
}

TEST_CASE("a call knows whether its client wants progress; 0 and \"\" are tokens") {
    client c;
    c.handshake();
    for (const char* token : {"0", "\"\"", "18446744073709551615"}) {
        const auto o = c.say(
            std::string{
                R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"warp","_meta":{"progressToken":)"} +
            token + "}}}");
        CHECK(o.asked<tool_call>().wants_progress);
        CHECK(c.progress(o.asked<tool_call>().key, 1).only().at("params").at("progressToken") == parsed(token));
        c.answer(o.asked<tool_call>().key);
    }
}

TEST_CASE("heartbeats increase, never reach the end, and leave room for real progress") {
    client c;
    c.handshake();
    const auto key = c.call("1", "1");
    double last = -1;
    for (int i = 0; i < 1000; ++i) {
        const outcome o{c.p.heartbeat(key, "waiting in the queue")};
        REQUIRE(sent_fraction(o) > last);
        CHECK(base::string_member(o.only().at("params"), "message") == "waiting in the queue");
        last = sent_fraction(o);
    }
    CHECK(last < 0.1);
    CHECK(sent_fraction(c.progress(key, 0.5)) == 0.5);
    CHECK(sent_fraction(outcome{c.p.heartbeat(key, "")}) < 0.501);
}
