// Questions to a client of the handshake, where a transcript cannot show it: what the application is given.
#include "client.hpp"

using namespace gdalmcp::mcp;

namespace {

const json::object form{{"method", "elicitation/create"},
                        {"params", json::object{{"mode", "form"}, {"message", "Why?"}, {"requestedSchema", nullptr}}}};
const json::object look{{"method", "sampling/createMessage"}, {"params", json::object{{"maxTokens", 1}}}};
const json::object roots{{"method", "roots/list"}};

std::string response(const std::string& id, const std::string& result) {
    return R"({"jsonrpc":"2.0","id":")" + id + R"(","result":)" + result + "}";
}

// A client that can be asked everything, and a call of it that has asked.
struct asked_client : client {
    explicit asked_client(const std::string& version = "2025-11-25") {
        handshake(version, R"({"elicitation":{"form":{},"url":{}},"sampling":{},"roots":{}})");
    }
    request_key waiting(json::object questions, const std::string& id = "1", const std::string& token = "1") {
        const auto key = call(id, token);
        const auto count = questions.size();
        REQUIRE(answer(key, input_required{std::move(questions), "state"}).sent.size() == count);
        REQUIRE(p.awaits_client(key));
        return key;
    }
};

}  // namespace

TEST_CASE("the call comes again with its key, its arguments, the state and what the client said") {
    asked_client c;
    const auto first = c.say(
        R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"warp","arguments":{"a":[1]},"_meta":{"progressToken":7}}})");
    const auto key = first.asked<tool_call>().key;
    c.answer(key, input_required{{{"why", form}}, "state"});
    const auto o = c.say(response("ask:1", R"({"action":"decline"})"));
    const auto& again = o.asked<tool_call>();
    CHECK(o.sent.empty());
    CHECK(again.key == key);
    CHECK(again.name == "warp");
    CHECK(again.arguments == parsed(R"({"a":[1]})").as_object());
    CHECK(again.wants_progress);
    CHECK(again.client_capabilities == first.asked<tool_call>().client_capabilities);
    CHECK(again.input_responses == parsed(R"({"why":{"action":"decline"}})"));
    CHECK(again.request_state == "state");
    CHECK_FALSE(c.p.awaits_client(key));
    CHECK(c.answer(key).only().at("id") == 1);
    CHECK(c.p.in_flight() == 0);
}

TEST_CASE("a call without a state comes again without one") {
    asked_client c;
    c.answer(c.call("1"), input_required{{{"why", form}}, ""});
    CHECK(c.say(response("ask:1", R"({"action":"cancel"})")).asked<tool_call>().request_state.is_null());
}

TEST_CASE("a waiting call is open: it has heartbeats and progress") {
    asked_client c;
    const auto key = c.waiting({{"why", form}});
    CHECK(c.p.in_flight() == 1);
    CHECK(outcome{c.p.heartbeat(key, "waiting for an answer")}.only().at("params").at("progress") == 0);
    c.say(response("ask:1", R"({"action":"cancel"})"));
    CHECK(c.progress(key, 0.5).only().at("params").at("progress") == 0.5);
}

TEST_CASE("a form goes to each revision as it knows it") {
    for (const auto& [version, params] :
         {std::pair{"2025-06-18", R"({"message":"Why?","requestedSchema":null})"},
          {"2025-11-25", R"({"mode":"form","message":"Why?","requestedSchema":null})"}}) {
        asked_client c{version};
        const auto o = c.answer(c.call("1"), input_required{{{"why", form}}, "s"});
        CHECK(o.only() ==
              parsed(std::string{R"({"jsonrpc":"2.0","id":"ask:1","method":"elicitation/create","params":)"} + params +
                     "}"));
    }
}

TEST_CASE("the revision before forms had modes is not sent to a page") {
    const json::object page{{"method", "elicitation/create"},
                            {"params", json::object{{"mode", "url"}, {"url", "http://localhost"}}}};
    asked_client old{"2025-06-18"}, fresh{"2025-11-25"};
    CHECK(old.answer(old.call("1"), input_required{{{"go", page}}, "s"}).only().at("result").at("isError") == true);
    CHECK(fresh.answer(fresh.call("1"), input_required{{{"go", page}}, "s"}).only().at("method") ==
          "elicitation/create");
}

TEST_CASE("the oldest revisions are asked for a message of the model and for roots") {
    for (const char* version : {"2024-11-05", "2025-03-26"}) {
        asked_client c{version};
        c.waiting({{"look", look}, {"roots", roots}});
        CHECK(c.say(response("ask:1", R"({"role":"assistant","content":[]})")).nothing());
        const auto o = c.say(response("ask:2", R"({"roots":[]})"));
        CHECK(o.asked<tool_call>().input_responses ==
              parsed(R"({"look":{"role":"assistant","content":[]},"roots":{"roots":[]}})"));
    }
}

TEST_CASE("an answer given while the client is still asked withdraws the questions") {
    asked_client c;
    const auto key = c.waiting({{"why", form}, {"roots", roots}});
    c.say(response("ask:2", R"({"roots":[]})"));
    const auto o = c.answer(key);
    REQUIRE(o.sent.size() == 2);
    CHECK(
        o.sent[0] ==
        parsed(
            R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"ask:1","reason":"no longer needed"}})"));
    CHECK(o.sent[1].at("id") == 1);
    CHECK(c.say(response("ask:1", R"({"action":"accept"})")).nothing());
}

TEST_CASE("a call may ask something else while it still waits; only the new answer brings it back") {
    asked_client c;
    const auto key = c.waiting({{"why", form}});
    const auto o = c.answer(key, input_required{{{"roots", roots}}, "second"});
    REQUIRE(o.sent.size() == 2);
    CHECK(o.sent[0].at("method") == "notifications/cancelled");
    CHECK(o.sent[1].at("id") == "ask:2");
    CHECK(c.say(response("ask:1", R"({"action":"accept"})")).nothing());
    const auto again = c.say(response("ask:2", R"({"roots":[]})"));
    CHECK(again.asked<tool_call>().input_responses == parsed(R"({"roots":{"roots":[]}})"));
    CHECK(again.asked<tool_call>().request_state == "second");
}

TEST_CASE(
    "giving up waiting brings back the call with forms cancelled and the rest left out; nothing else is touched") {
    asked_client c;
    const auto other = c.waiting({{"why", form}}, "1");
    const auto key = c.waiting({{"why", form}, {"look", look}, {"roots", roots}}, "2", "2");
    c.say(response("ask:4", R"({"roots":[]})"));
    const outcome o{c.p.stop_waiting(key)};
    REQUIRE(o.sent.size() == 2);
    CHECK(o.sent[0].at("params").at("requestId") == "ask:2");
    CHECK(o.sent[1].at("params").at("requestId") == "ask:3");
    CHECK(o.asked<tool_call>().key == key);
    CHECK(o.asked<tool_call>().input_responses == parsed(R"({"roots":{"roots":[]},"why":{"action":"cancel"}})"));
    CHECK_FALSE(c.p.awaits_client(key));
    CHECK(outcome{c.p.stop_waiting(key)}.nothing());
    CHECK(c.p.awaits_client(other));
}

TEST_CASE("a call that awaits nobody cannot be made to give up") {
    asked_client c;
    const auto key = c.call("1");
    CHECK_FALSE(c.p.awaits_client(key));
    CHECK(outcome{c.p.stop_waiting(key)}.nothing());
    CHECK(outcome{c.p.stop_waiting(key + 7)}.nothing());
    CHECK(c.answer(key).sent.size() == 1);
}

TEST_CASE("cancelling a waiting call notifies the application and withdraws the questions") {
    asked_client c;
    const auto key = c.waiting({{"why", form}});
    const auto o = c.say(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})");
    CHECK(o.asked<cancel>().key == key);
    CHECK(o.only().at("params").at("requestId") == "ask:1");
    CHECK_FALSE(c.p.awaits_client(key));
    CHECK(c.say(response("ask:1", R"({"action":"accept"})")).nothing());
    CHECK(c.answer(key).nothing());
}

TEST_CASE("closing ends a waiting call like any other, and forgets what was asked") {
    asked_client c;
    const auto key = c.waiting({{"why", form}});
    const outcome o{c.p.close()};
    CHECK(o.sent.empty());
    CHECK(o.asked<cancel>().key == key);
    CHECK_FALSE(c.p.awaits_client(key));
    CHECK(c.say(response("ask:1", R"({"action":"accept"})")).nothing());
}

TEST_CASE("a question survives a second handshake, and its id is not given again") {
    asked_client c;
    const auto key = c.waiting({{"why", form}});
    c.handshake("2025-06-18", R"({"elicitation":{}})");
    CHECK(c.answer(c.call("2"), input_required{{{"why", form}}, "s"}).only().at("id") == "ask:2");
    CHECK(c.say(response("ask:1", R"({"action":"decline"})")).asked<tool_call>().key == key);
}

TEST_CASE("a call within a batch asks beside it, and the batch leaves with the call's answer") {
    asked_client c{"2025-03-26"};
    const auto o = c.say(
        R"([{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"warp"}},{"jsonrpc":"2.0","id":2,"method":"ping"}])");
    const auto key = o.asked<tool_call>().key;
    CHECK(c.answer(key, input_required{{{"roots", roots}}, "s"}).only().at("id") == "ask:1");
    const auto again = c.say(R"([{"jsonrpc":"2.0","id":"ask:1","result":{"roots":[]}}])");
    CHECK(again.asked<tool_call>().key == key);
    CHECK(again.sent.empty());
    CHECK(c.answer(key).only().as_array().size() == 2);
}

TEST_CASE("an answer to 2026-07-28 is never pushed, whatever the handshake allows") {
    asked_client c;
    const auto o = c.say(stateless_request("1", "tools/call", R"("name":"warp",)", R"({"elicitation":{}})"));
    const auto key = o.asked<tool_call>().key;
    const auto a = c.answer(key, input_required{{{"why", form}}, "s"});
    CHECK(a.only().at("result").at("resultType") == "input_required");
    CHECK_FALSE(c.p.awaits_client(key));
    CHECK(c.p.in_flight() == 0);
}

TEST_CASE("only a tool call and a prompt can ask a client of the handshake") {
    asked_client c;
    const auto o = c.say(R"({"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"x"}})");
    CHECK(c.answer(o.asked<resource_read>().key, input_required{{{"why", form}}, "s"}).error_code() == -32603);
}
