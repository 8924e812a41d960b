#include "mcp/http_fields.hpp"

#include "base/text.hpp"
#include "client.hpp"

using namespace gdalmcp::mcp;
namespace base = gdalmcp::base;

namespace {

constexpr auto modern = "2026-07-28";

std::string in_base64(std::string_view text) { return "=?base64?" + base::base64(text) + "?="; }

http_fields fields(const std::string& method, std::optional<std::string> name = {},
                   std::map<std::string, std::string> parameters = {}) {
    return {modern, method, std::move(name), std::move(parameters)};
}

// What a client is answered that says `message` under this header, and with which status of HTTP.
struct answer {
    int code = 0;  // of the error; 0: work, or a result
    unsigned status = 200;
    std::string message;
};
answer say(const std::string& message, const http_fields& header, const offer& o = small_offer()) {
    peer p{std::make_shared<const offer>(o)};
    answer a;
    for (const auto& e : p.receive(parsed(message), header))
        if (const auto* s = std::get_if<send>(&e)) {
            const auto v = parsed(s->line);
            a.status = s->status;
            if (const auto* error = base::find_member(v, "error")) {
                a.code = static_cast<int>(error->at("code").as_int64());
                a.message = base::string_member(*error, "message");
            }
        }
    return a;
}

// An offer whose tool `echo` asks for its argument `region`, and for one inside of an object, in the header.
offer asking_offer() {
    auto o = small_offer();
    o.tools[0].as_object()["inputSchema"] = parsed(R"({"type": "object", "properties": {
        "region": {"type": "string", "x-mcp-header": "Region"},
        "level": {"type": "number", "x-mcp-header": "Level"},
        "exact": {"type": "boolean", "x-mcp-header": "Exact"},
        "where": {"type": "object", "properties": {"zone": {"type": "integer", "x-mcp-header": "Zone"}}},
        "other": {"type": "string"}}})");
    return o;
}
answer call_echo(const std::string& arguments, std::map<std::string, std::string> parameters) {
    return say(stateless_request("1", "tools/call", R"("name":"echo","arguments":)" + arguments + ","),
               fields("tools/call", "echo", std::move(parameters)), asking_offer());
}

constexpr int mismatch = -32020;

}  // namespace

TEST_CASE("a message is stateless by its envelope, or by its header where it is no handshake") {
    const auto plain = parsed(R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})");
    const auto initialize = parsed(R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{}})");
    http_fields old, now;
    old.protocol_version = "2025-11-25";
    now.protocol_version = modern;
    CHECK(is_stateless(parsed(stateless_request("1", "tools/list")), {}));
    CHECK(is_stateless(parsed(stateless_request("1", "initialize")), {}));
    CHECK(is_stateless(plain, now));
    CHECK_FALSE(is_stateless(initialize, now));
    CHECK_FALSE(is_stateless(plain, old));
    CHECK_FALSE(is_stateless(plain, {}));
    for (const auto* no_object : {"[]", "7", "null", R"({"params": []})", R"({"params": {"_meta": 1}})"})
        CHECK_FALSE(is_stateless(parsed(no_object), {}));
}

TEST_CASE("each missing field of a request is named") {
    const auto call = stateless_request("1", "tools/call", R"("name":"echo",)");
    CHECK(say(call, fields("tools/call", "echo")).code == 0);
    auto header = fields("tools/call", "echo");
    header.protocol_version.reset();
    CHECK(say(call, header).message == "the MCP-Protocol-Version header is missing; this request requires it");
    header = fields("tools/call", "echo");
    header.method.reset();
    CHECK(say(call, header).message == "the Mcp-Method header is missing; this request requires it");
    CHECK(say(call, fields("tools/call")).message == "the Mcp-Name header is missing; this request requires it");
    CHECK(say(call, fields("tools/call")).status == 400);
}

TEST_CASE("a disagreement names both sides") {
    const auto a = say(stateless_request("1", "tools/call", R"("name":"echo",)"), fields("tools/call", "warp"));
    CHECK(a.code == mismatch);
    CHECK(a.status == 400);
    CHECK(a.message == "the Mcp-Name header is 'warp', but the request has 'echo'");
    auto header = fields("tools/list");
    header.protocol_version = "2025-11-25";
    CHECK(say(stateless_request("1", "tools/list"), header).message ==
          "the MCP-Protocol-Version header is '2025-11-25', but the request has '2026-07-28'");
}

TEST_CASE("values may be in base64, strictly") {
    const auto call = stateless_request("1", "tools/call", R"("name":"echo",)");
    CHECK(say(call, fields("tools/call", in_base64("echo"))).code == 0);
    for (const auto& name :
         {in_base64("warp"), std::string{"=?base64?ZWNobw?="}, std::string{"=?base64?ZWNo bw==?="},
          std::string{"=?base64?!?="}, std::string{"=?base64?ZWNobw=="}, std::string{"ech\xc3\xb6"}}) {
        CAPTURE(name);
        CHECK(say(call, fields("tools/call", name)).code == mismatch);
    }
}

TEST_CASE("a method without a name needs no Mcp-Name, and ignores one") {
    CHECK(say(stateless_request("1", "tools/list"), fields("tools/list")).code == 0);
    CHECK(say(stateless_request("1", "tools/list"), fields("tools/list", "whatever")).code == 0);
}

TEST_CASE("an argument with a declared header field is compared with it") {
    CHECK(call_echo(R"({"region":"north"})", {{"region", "north"}}).code == 0);
    CHECK(call_echo(R"({"region":"nörd"})", {{"region", in_base64("nörd")}}).code == 0);
    CHECK(call_echo(R"({"region":"north"})", {}).code == mismatch);
    CHECK(call_echo(R"({"region":"north"})", {{"region", "North"}}).code == mismatch);
    CHECK(call_echo(R"({"other":"north"})", {}).code == 0);
    CHECK(call_echo(R"({"other":"north"})", {{"other", "whatever"}}).code == 0);
}

TEST_CASE("numbers are compared as numbers and truth values as words") {
    CHECK(call_echo(R"({"level":1.5})", {{"level", "1.50"}}).code == 0);
    CHECK(call_echo(R"({"level":42})", {{"level", "42.0"}}).code == 0);
    CHECK(call_echo(R"({"level":42})", {{"level", "43"}}).code == mismatch);
    CHECK(call_echo(R"({"level":42})", {{"level", "42 m"}}).code == mismatch);
    CHECK(call_echo(R"({"level":9007199254740993})", {{"level", "9007199254740993"}}).code == 0);
    CHECK(call_echo(R"({"level":9007199254740993})", {{"level", "9007199254740992"}}).code == mismatch);
    CHECK(call_echo(R"({"exact":true})", {{"exact", "true"}}).code == 0);
    CHECK(call_echo(R"({"exact":true})", {{"exact", "1"}}).code == mismatch);
}

TEST_CASE("an argument inside an object declares a field, too") {
    CHECK(call_echo(R"({"where":{"zone":7}})", {{"zone", "7"}}).code == 0);
    CHECK(call_echo(R"({"where":{"zone":7}})", {}).code == mismatch);
    CHECK(call_echo(R"({"where":{"zone":7}})", {{"zone", "8"}}).code == mismatch);
}

TEST_CASE("a field without its argument is a disagreement; null is no argument") {
    CHECK(call_echo("{}", {{"region", "north"}}).code == mismatch);
    CHECK(call_echo("{}", {{"zone", "7"}}).code == mismatch);
    CHECK(call_echo(R"({"region":null})", {{"region", "null"}}).code == mismatch);
    CHECK(call_echo(R"({"region":null})", {}).code == 0);
}

TEST_CASE("each refusal has its status of HTTP") {
    const auto unknown_version = R"({"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{)"
                                 R"("io.modelcontextprotocol/protocolVersion":"2099-01-01",)"
                                 R"("io.modelcontextprotocol/clientCapabilities":{}}}})";
    auto header = fields("tools/list");
    header.protocol_version = "2099-01-01";
    CHECK(say(unknown_version, header).status == 400);
    CHECK(say(R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})", fields("tools/list")).status == 400);
    CHECK(say(stateless_request("1", "no/such"), fields("no/such")).status == 404);
    CHECK(say(stateless_request("1", "tools/call", R"("name":"none",)"), fields("tools/call", "none")).status == 200);
    CHECK(say("7", {}).status == 400);
}
