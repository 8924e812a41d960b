#include "client.hpp"
#include "mcp/log_level.hpp"

using namespace gdalmcp::mcp;
namespace base = gdalmcp::base;

namespace {

offer with_logging() {
    auto o = small_offer();
    o.logging = true;
    return o;
}

// A call whose request states this level; "" states none.
request_key call(client& c, const std::string& level) {
    const auto stated = level.empty() ? std::string{} : R"(,"io.modelcontextprotocol/logLevel":")" + level + '"';
    return c
        .say(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"warp","_meta":{)"
             R"("io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
             R"("io.modelcontextprotocol/clientCapabilities":{})" +
             stated + "}}}")
        .asked<tool_call>()
        .key;
}

outcome log(client& c, request_key key, int severity) { return outcome{c.p.log(key, severity, "warp", "a line")}; }

}  // namespace

TEST_CASE("a line is told at the level that was asked for and above, and names who said it") {
    for (const int wanted : {0, 3, 7})
        for (int severity = 0; severity < 8; ++severity) {
            CAPTURE(wanted, severity);
            client c{with_logging()};
            const auto o = log(c, call(c, std::string{log_levels[static_cast<std::size_t>(wanted)]}), severity);
            CHECK(o.nothing() == (severity > wanted));
            if (o.nothing()) continue;
            const auto& params = o.only().at("params");
            CHECK(params.at("level") == json::string{log_levels[static_cast<std::size_t>(severity)]});
            CHECK(params.at("logger") == "warp");
            CHECK(params.at("data") == "a line");
        }
}

TEST_CASE("a severity that is none is not told") {
    client c{with_logging()};
    const auto key = call(c, "debug");
    CHECK(log(c, key, -1).nothing());
    CHECK(log(c, key, 8).nothing());
}

TEST_CASE("a stateless request that states no level hears nothing") {
    client c{with_logging()};
    CHECK(log(c, call(c, ""), 0).nothing());
}

TEST_CASE("a line is about its request, and after the answer there is none") {
    client c{with_logging()};
    const auto key = call(c, "info");
    const auto said = c.p.log(key, 6, "warp", "a line");
    REQUIRE(said.size() == 1);
    CHECK(std::get<send>(said[0]).about == key);
    CHECK_FALSE(std::get<send>(said[0]).last);
    c.answer(key);
    CHECK(log(c, key, 6).nothing());
}

TEST_CASE("a server that does not offer logging tells no lines") {
    client c;
    CHECK(log(c, call(c, "debug"), 0).nothing());
}

TEST_CASE("the level of a handshake is no level of a request with an envelope") {
    client c{with_logging()};
    c.handshake();
    c.say(R"({"jsonrpc":"2.0","id":5,"method":"logging/setLevel","params":{"level":"debug"}})");
    CHECK(log(c, call(c, ""), 0).nothing());
    CHECK_FALSE(log(c, c.call("9"), 7).nothing());
}
