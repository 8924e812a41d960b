#include "client.hpp"

using namespace gdalmcp::mcp;
namespace base = gdalmcp::base;

namespace {

json::object text(std::string t) { return {{"type", "text"}, {"text", std::move(t)}}; }

// The answer to a stateless call of a client with these capabilities.
outcome ask(const std::string& capabilities, input_required question) {
    client c;
    const auto o = c.say(stateless_request("1", "tools/call", R"("name":"warp",)", capabilities));
    return c.answer(o.asked<tool_call>().key, std::move(question));
}

input_required question(const char* request) { return {{{"k", parsed(request)}}, ""}; }

}  // namespace

TEST_CASE("an answer that carries an error is without structured content") {
    client c;
    c.handshake();
    const auto o = c.answer(c.call("1"), tool_result{{text("no")}, json::object{{"a", 1}}, true, {}});
    CHECK(o.only().at("result") == parsed(R"({"content":[{"type":"text","text":"no"}],"isError":true})"));
}

TEST_CASE("content given beside structured content is left as it is") {
    client c;
    c.handshake();
    const auto o = c.answer(c.call("1"), tool_result{{text("one raster")}, json::object{{"n", 1}}, false, {}});
    CHECK(o.only().at("result") ==
          parsed(R"({"content":[{"type":"text","text":"one raster"}],"structuredContent":{"n":1}})"));
}

TEST_CASE("a request is answered once") {
    client c;
    c.handshake();
    const auto key = c.call("1");
    CHECK(c.answer(key).sent.size() == 1);
    CHECK(c.answer(key).nothing());
}

TEST_CASE("a result too large for clients becomes an error that says so") {
    client c;
    c.handshake();
    const auto o = c.answer(c.call("1"), tool_result{{text(std::string(11u << 20, 'x'))}, {}, false, {}});
    CHECK(o.error_code() == -32603);
    CHECK(o.only().at("id") == 1);
    const auto message = base::string_member(o.only().at("error"), "message");
    CHECK(message.find("10485760") != message.npos);
}

TEST_CASE("an id as large as a line is still echoed") {
    client c;
    const auto id = std::string{'"'}.append(11u << 20, 'x').append(1, '"');
    CHECK(c.say(R"({"jsonrpc":"2.0","id":)" + id + R"(,"method":"ping"})").only().at("id").get_string().size() ==
          11u << 20);
}

TEST_CASE("a rejected resource names its URI") {
    client c;
    c.handshake();
    const auto o = c.say(R"({"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"query://result/9"}})");
    CHECK(o.asked<resource_read>().uri == "query://result/9");
    const auto a = c.answer(o.asked<resource_read>().key, resource_not_found("query://result/9"));
    CHECK(a.error_code() == -32602);
    CHECK(a.only().at("error").at("data").at("uri") == "query://result/9");
}

TEST_CASE("a client is asked only what it declared") {
    const char* form = R"({"method":"elicitation/create","params":{"message":"Why?","requestedSchema":{}}})";
    const char* url =
        R"({"method":"elicitation/create","params":{"mode":"url","message":"Go","url":"http://localhost"}})";
    const char* sampling = R"({"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}})";
    const char* roots = R"({"method":"roots/list","params":{}})";
    CHECK(ask(R"({"elicitation":{}})", question(form)).error_code() == 0);
    CHECK(ask(R"({"elicitation":{"form":{}}})", question(form)).error_code() == 0);
    CHECK(ask(R"({"elicitation":{"url":{}}})", question(form)).error_code() == -32021);
    CHECK(ask(R"({"elicitation":{"url":{}}})", question(url)).error_code() == 0);
    CHECK(ask(R"({"elicitation":{}})", question(url)).error_code() == -32021);
    CHECK(ask(R"({"sampling":{}})", question(sampling)).error_code() == 0);
    CHECK(ask(R"({"roots":{}})", question(roots)).error_code() == 0);
    for (const char* q : {form, url, sampling, roots}) CHECK(ask("{}", question(q)).error_code() == -32021);
    CHECK(ask(R"({"sampling":true})", question(sampling)).error_code() == -32021);
}

TEST_CASE("a question of an unknown kind is an internal error") {
    CHECK(ask(R"({"elicitation":{}})", question(R"({"method":"dance"})")).error_code() == -32603);
    CHECK(ask(R"({"elicitation":{}})", question("17")).error_code() == -32603);
}

TEST_CASE("a state alone is enough to ask for a retry") {
    const auto o = ask("{}", input_required{{}, "s"});
    CHECK(o.only().at("result").at("resultType") == "input_required");
    CHECK(o.only().at("result").at("requestState") == "s");
    CHECK_FALSE(o.only().at("result").as_object().contains("inputRequests"));
    CHECK_FALSE(o.only().at("result").as_object().contains("ttlMs"));
}

TEST_CASE("a state without a question brings a call of the handshake back when the application wants it") {
    client c;
    c.handshake();
    const auto key = c.call("1");
    CHECK(c.answer(key, input_required{{}, "s"}).nothing());
    CHECK(c.p.awaits_client(key));
    const outcome o{c.p.stop_waiting(key)};
    CHECK(o.sent.empty());
    CHECK(o.asked<tool_call>().request_state == "s");
    CHECK_FALSE(c.p.awaits_client(key));
}

TEST_CASE("exactly a hundred completions are all there are") {
    client c;
    c.handshake();
    const auto o = c.say(
        R"({"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{"ref":{"type":"ref/prompt","name":"justify"},"argument":{"name":"a","value":""}}})");
    const auto a = c.answer(o.asked<completion>().key, completion_values{std::vector<std::string>(100, "EPSG:4326")});
    const auto& sent = a.only().at("result").at("completion");
    CHECK(sent.at("values").as_array().size() == 100);
    CHECK(sent.at("hasMore") == false);
}

TEST_CASE("a completion request arrives without protocol members") {
    client c;
    const auto o = c.say(
        stateless_request("1", "completion/complete",
                          R"("ref":{"type":"ref/prompt","name":"justify"},"argument":{"name":"a","value":"x"},)"));
    CHECK(o.asked<completion>().params ==
          parsed(R"({"ref":{"type":"ref/prompt","name":"justify"},"argument":{"name":"a","value":"x"}})").as_object());
}
