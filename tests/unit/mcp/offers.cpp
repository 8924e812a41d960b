#include "client.hpp"

using namespace gdalmcp::mcp;

namespace {

json::array named(int n) {
    json::array a;
    for (int i = 0; i < n; ++i) a.push_back(json::object{{"name", "tool_" + std::to_string(i)}});
    return a;
}

json::value list_tools(client& c, const std::string& cursor = "") {
    const auto params = cursor.empty() ? std::string{} : R"(,"params":{"cursor":")" + cursor + R"("})";
    return c.say(R"({"jsonrpc":"2.0","id":1,"method":"tools/list")" + params + "}").only();
}

std::shared_ptr<const offer> shared(offer o) { return std::make_shared<const offer>(std::move(o)); }

}  // namespace

static bool is_first_result(const std::string& uri) { return uri == "query://result/1"; }

TEST_CASE("only what works is advertised, and what is not advertised is not known") {
    offer bare;
    bare.name = "bare";
    client c{bare};
    const auto o = c.say(stateless_request("1", "server/discover"));
    CHECK(o.only().at("result").at("capabilities") == parsed(R"({"tools":{},"prompts":{}})"));
    CHECK_FALSE(o.only().at("result").as_object().contains("instructions"));
    for (const char* method : {"resources/list", "resources/templates/list", "resources/read", "completion/complete"})
        CHECK(c.say(stateless_request("2", method)).error_code() == -32601);
    c.handshake();
    CHECK(c.say(R"({"jsonrpc":"2.0","id":3,"method":"resources/subscribe","params":{"uri":"x"}})").error_code() ==
          -32601);
    const auto ack = c.say(stateless_request(
        "4", "subscriptions/listen", R"("notifications":{"toolsListChanged":true,"resourceSubscriptions":["x"]},)"));
    CHECK(ack.only().at("params").at("notifications") == json::object{});
}

TEST_CASE("lists are cut into pages of 100, and walking them gives everything once, in order") {
    offer o;
    o.tools = named(201);
    client c{o};
    c.handshake();
    json::array all;
    std::string cursor;
    int pages = 0;
    do {
        const auto page = list_tools(c, cursor).at("result").as_object();
        for (const auto& t : page.at("tools").as_array()) all.push_back(t);
        cursor = page.contains("nextCursor") ? std::string{page.at("nextCursor").as_string()} : "";
        REQUIRE(++pages <= 3);
    } while (!cursor.empty());
    CHECK(pages == 3);
    CHECK(all == o.tools);
}

TEST_CASE("exactly one page has no cursor") {
    offer o;
    o.tools = named(100);
    client c{o};
    c.handshake();
    CHECK_FALSE(list_tools(c).at("result").as_object().contains("nextCursor"));
}

TEST_CASE("a cursor beyond a list that has shrunk, or one made up, is refused") {
    offer o;
    o.tools = named(101);
    client c{o};
    c.handshake();
    REQUIRE(list_tools(c).at("result").at("nextCursor") == "tools@100");
    o.tools = named(100);
    c.p.replace(shared(o));
    for (const char* cursor :
         {"tools@100", "tools@", "tools@0", "tools@-1", "tools@1x", "tools@99999999999999999999", "tools", "prompts@1"})
        CHECK(list_tools(c, cursor).at("error").at("code") == -32602);
}

TEST_CASE("replacing an offer by an equal one tells nobody; one list changed tells of that list") {
    client c;
    c.handshake();
    CHECK(outcome{c.p.replace(shared(small_offer()))}.nothing());
    auto o = small_offer();
    o.tools.pop_back();
    CHECK(outcome{c.p.replace(shared(o))}.only().at("method") == "notifications/tools/list_changed");
    o.resource_templates = named(1);
    CHECK(outcome{c.p.replace(shared(o))}.only().at("method") == "notifications/resources/list_changed");
    o.prompts.clear();
    CHECK(outcome{c.p.replace(shared(o))}.only().at("method") == "notifications/prompts/list_changed");
}

TEST_CASE("a tool that left the offer is unknown at once; a call of it that is open is still answered") {
    client c;
    c.handshake();
    const auto key = c.call("1");
    offer o = small_offer();
    o.tools.clear();
    c.p.replace(shared(o));
    CHECK(c.say(R"({"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"warp"}})").error_code() == -32602);
    CHECK(c.answer(key).only().at("id") == 1);
}

TEST_CASE("a call of a tool that is not listed reaches the application") {
    auto o = small_offer();
    o.unlisted = {"rare"};
    client c{o};
    c.handshake();
    const auto said = c.say(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"rare"}})");
    CHECK(said.asked<tool_call>().name == "rare");
    CHECK(c.say(R"({"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"rarer"}})").error_code() == -32602);
}

TEST_CASE("a change that a request makes is told about that request") {
    client c;
    c.handshake();
    const auto key = c.call("1");
    auto o = small_offer();
    o.tools.pop_back();
    const auto all = c.p.replace(shared(o), key);
    REQUIRE(all.size() == 1);
    CHECK(std::get<send>(all.front()).about == key);
}

TEST_CASE("a client that has not listened is told nothing unasked in 2026-07-28") {
    client c;
    c.say(stateless_request("1", "tools/list"));
    CHECK(outcome{c.p.resources_changed()}.nothing());
    CHECK(outcome{c.p.resources_updated(is_first_result)}.nothing());
}

TEST_CASE("a new handshake forgets the subscriptions of the one before") {
    client c;
    c.handshake();
    c.say(R"({"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"query://result/1"}})");
    CHECK(outcome{c.p.resources_updated(is_first_result)}.sent.size() == 1);
    c.handshake();
    CHECK(outcome{c.p.resources_updated(is_first_result)}.nothing());
}

TEST_CASE("subscriptions are bounded: 1024 resources, 1024 listens") {
    client c;
    c.handshake();
    const auto subscribe = [&](int i) {
        return c.say(R"({"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"r)" +
                     std::to_string(i) + R"("}})");
    };
    for (int i = 0; i < 1024; ++i) REQUIRE(subscribe(i).error_code() == 0);
    CHECK(subscribe(1024).error_code() == -32603);
    const auto listen = [&](int i) {
        return c.say(stateless_request("\"l" + std::to_string(i) + "\"", "subscriptions/listen",
                                       R"("notifications":{"toolsListChanged":true},)"));
    };
    for (int i = 0; i < 1024; ++i) REQUIRE(listen(i).only().as_object().contains("method"));
    CHECK(listen(1024).error_code() == -32603);
    c.cancel("\"l0\"");
    CHECK(listen(0).only().as_object().contains("method"));
}

TEST_CASE("an optional title and website are sent only where there are any") {
    auto o = small_offer();
    o.title = "GDAL for agents";
    o.website = "https://example.org";
    client c{o};
    CHECK(
        c.say(stateless_request("1", "tools/list")).only().at("result").at("_meta") ==
        parsed(
            R"({"io.modelcontextprotocol/serverInfo":{"name":"test","title":"GDAL for agents","version":"1.0.0","websiteUrl":"https://example.org"}})"));
}
