#include "client.hpp"

using namespace gdalmcp::mcp;
namespace base = gdalmcp::base;

TEST_CASE("ping is answered with exactly {} in the handshake era") {
    client c;
    c.handshake();
    CHECK(c.say(R"({"jsonrpc":"2.0","id":0,"method":"ping"})").only() ==
          parsed(R"({"jsonrpc":"2.0","id":0,"result":{}})"));
}

TEST_CASE("initialize with 2099-01-01 is answered with 2025-11-25") {
    client c;
    const auto o = c.say(R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2099-01-01"}})");
    CHECK(o.only().at("result").at("protocolVersion") == "2025-11-25");
}

TEST_CASE("a request that cannot be read is answered with its id where that can") {
    const std::string deep = std::string(100, '[') + std::string(100, ']');
    const std::string begin = R"({"jsonrpc":"2.0","id":7,"method":"ping","params":{"a":)";
    for (const auto& unreadable :
         {deep, std::string{R"("\ud800")"}, std::string{"1e999"}, std::string{"NaN"}, std::string{"\"\xff\""}}) {
        client c;
        const auto o = c.say(begin + unreadable + "}}");
        CHECK(o.error_code() == -32700);
        CHECK(o.only().at("id") == 7);
    }
    // After what cannot be read, behind a string that looks like one, and spelled as text.
    CHECK(client{}.say(R"({"method":"x","params":{"id":1,"s":"\"id\":2"},"n":1e999, "id" : "a" })").only().at("id") ==
          "a");
    for (const char* no_id :
         {R"({"method":"x","n":1e999})", R"({"id":1,"n":1e999})", R"({"id":1,"id":2,"method":"x","n":1e999})",
          R"({"id":1.5,"method":"x","n":1e999})", R"({"id":{},"method":"x","n":1e999})", "{", "{{",
          R"({"id":1,"method":"x","params":{"a":"}})", "{:", R"({"id)", R"({"method":"x","id":1e999})", "[1e999]",
          "1e999", R"({"\)"}) {
        CAPTURE(no_id);
        CHECK_FALSE(client{}.say(no_id).only().as_object().contains("id"));
    }
}

TEST_CASE("a message nested too deep is refused with the limit") {
    const auto nested = [](std::size_t levels) {
        return R"({"jsonrpc":"2.0","id":1,"method":"ping","params":)" + std::string(levels - 1, '[') +
               std::string(levels - 1, ']') + "}";
    };
    CHECK(client{}.say(nested(64)).error_code() == -32602);  // params must be an object
    const auto o = client{}.say(nested(65));
    CHECK(o.error_code() == -32700);
    CHECK(base::string_member(o.only().at("error"), "message").find("64 levels") != std::string_view::npos);
}

TEST_CASE("a 2026-07-28 result carries resultType and the server's name") {
    client c;
    const auto o = c.say(stateless_request("1", "tools/list"));
    const auto& result = o.only().at("result");
    CHECK(result.at("resultType") == "complete");
    CHECK(result.at("_meta").at("io.modelcontextprotocol/serverInfo").at("name") == "test");
}

TEST_CASE("a request before initialize and without envelope names both remedies") {
    client c;
    const auto o = c.say(R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})");
    CHECK(o.error_code() == -32602);
    const auto message = base::string_member(o.only().at("error"), "message");
    CHECK(message.find("_meta") != message.npos);
    CHECK(message.find("2026-07-28") != message.npos);
    CHECK(message.find("initialize") != message.npos);
}

TEST_CASE("a tool call arrives with its arguments and what the client can do") {
    client c;
    const auto o = c.say(stateless_request("1", "tools/call", R"("name":"echo","arguments":{"a":[1]},)",
                                           R"({"elicitation":{"form":{}}})"));
    const auto& call = o.asked<tool_call>();
    CHECK(call.name == "echo");
    CHECK(call.arguments == parsed(R"({"a":[1]})").as_object());
    CHECK(call.client_capabilities == parsed(R"({"elicitation":{"form":{}}})").as_object());
    CHECK_FALSE(call.wants_progress);
    CHECK(call.input_responses.is_null());
    CHECK(call.request_state.is_null());
    CHECK(o.sent.empty());
}

TEST_CASE("a retry of a call brings the client's responses and the state along") {
    client c;
    const auto o = c.say(stateless_request(
        "1", "tools/call", R"("name":"echo","inputResponses":{"k":{"action":"decline"}},"requestState":"s",)"));
    CHECK(o.asked<tool_call>().input_responses == parsed(R"({"k":{"action":"decline"}})"));
    CHECK(o.asked<tool_call>().request_state == "s");
}

TEST_CASE("a client of the handshake cannot smuggle in responses or a state") {
    client c;
    c.handshake();
    const auto o = c.say(
        R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","inputResponses":{},"requestState":"s"}})");
    CHECK(o.asked<tool_call>().input_responses.is_null());
    CHECK(o.asked<tool_call>().request_state.is_null());
}

TEST_CASE("cancelling reaches the work with its reason, and the late answer sends nothing") {
    client c;
    c.handshake();
    const auto key = c.call("5", "5");
    CHECK(c.p.in_flight() == 1);
    const auto o = c.say(
        R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5,"reason":"no longer needed"}})");
    CHECK(o.asked<cancel>().key == key);
    CHECK(o.asked<cancel>().reason == "no longer needed");
    CHECK(c.p.in_flight() == 0);
    CHECK(c.progress(key, 0.5).nothing());
    CHECK(c.answer(key).nothing());
}

TEST_CASE("cancelling with an id of another type cancels nothing") {
    client c;
    c.handshake();
    const auto key = c.call("5");
    c.cancel("\"5\"");
    CHECK(c.p.in_flight() == 1);
    CHECK(c.answer(key).only().at("id") == 5);
}

TEST_CASE("an id may be used again after its answer, and gets another key") {
    client c;
    c.handshake();
    const auto first = c.call("1");
    CHECK(c.answer(first).sent.size() == 1);
    const auto second = c.call("1");
    CHECK(second != first);
    CHECK(c.answer(first).nothing());
    CHECK(c.answer(second).sent.size() == 1);
}

TEST_CASE("a line that cannot be read is answered without an id") {
    client c;
    const auto codes = [&](std::string_view line) {
        const auto o = c.say(line);
        CHECK_FALSE(o.only().as_object().contains("id"));
        return o.error_code();
    };
    CHECK(codes(R"({"jsonrpc":"2.0","id":1,"method":"ping")") == -32700);
    CHECK(codes("{} {}") == -32700);
    CHECK(codes(std::string(100, '[') + std::string(100, ']')) == -32700);
    CHECK(codes("\xEF\xBB\xBF{}") == -32700);
    CHECK(codes("null") == -32600);
}

TEST_CASE("a line that was too long is reported with the limit") {
    client c;
    const outcome o{c.p.line_too_long(16777216)};
    CHECK(o.error_code() == -32600);
    CHECK_FALSE(o.only().as_object().contains("id"));
    const auto message = base::string_member(o.only().at("error"), "message");
    CHECK(message.find("16777216") != message.npos);
}

TEST_CASE("closing cancels what is open and leaves nothing to answer") {
    client c;
    c.handshake();
    const auto a = c.call("1"), b = c.call("2");
    const outcome o{c.p.close()};
    CHECK(o.sent.empty());
    REQUIRE(o.work.size() == 2);
    CHECK(std::get<cancel>(o.work[0]).key == a);
    CHECK(std::get<cancel>(o.work[1]).key == b);
    CHECK(c.p.in_flight() == 0);
    CHECK(c.answer(a).nothing());
    CHECK(outcome{c.p.close()}.nothing());
}
