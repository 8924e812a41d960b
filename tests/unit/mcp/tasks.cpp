#include "client.hpp"

using namespace gdalmcp::mcp;
namespace base = gdalmcp::base;

namespace {

constexpr auto declared = R"({"extensions":{"io.modelcontextprotocol/tasks":{}}})";

offer with_tasks() {
    auto o = small_offer();
    o.tasks = true;
    return o;
}

json::object task(const std::string& id, const std::string& status = "working") {
    return {{"taskId", id}, {"status", status}, {"ttlMs", 1000}};
}

request_key call(client& c) {
    const auto o = c.say(stateless_request("1", "tools/call", R"("name":"warp",)", declared));
    return o.asked<tool_call>().key;
}

}  // namespace

TEST_CASE("a call may become a task where the server has them and this very request declares them") {
    const auto may = [](offer o, const std::string& capabilities) {
        client c{std::move(o)};
        return c.say(stateless_request("1", "tools/call", R"("name":"warp",)", capabilities))
            .asked<tool_call>()
            .may_become_task;
    };
    CHECK(may(with_tasks(), declared));
    CHECK_FALSE(may(with_tasks(), "{}"));
    CHECK_FALSE(may(with_tasks(), R"({"extensions":{"io.modelcontextprotocol/ui":{}}})"));
    CHECK_FALSE(may(small_offer(), declared));
    client old{with_tasks()};
    old.handshake("2025-11-25", declared);
    CHECK_FALSE(old.say(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"warp"}})")
                    .asked<tool_call>()
                    .may_become_task);
}

TEST_CASE("a call that became a task is answered: nothing more is sent for it, and its id is free") {
    client c{with_tasks()};
    const auto key = call(c);
    const auto created = c.answer(key, task_created{task("t")});
    CHECK(created.only().at("result").at("resultType") == "task");
    CHECK(created.only().at("result").at("taskId") == "t");
    CHECK(c.progress(key, 0.5).nothing());
    CHECK(c.answer(key).nothing());
    CHECK(c.p.in_flight() == 0);
    CHECK(call(c) != key);
}

TEST_CASE("a cancelled call cannot become a task") {
    client c{with_tasks()};
    const auto key = call(c);
    c.cancel("1");
    CHECK(c.answer(key, task_created{task("t")}).nothing());
}

TEST_CASE("a task's state is returned flat, as complete, whatever the task's own status is") {
    client c{with_tasks()};
    const auto o = c.say(stateless_request("1", "tasks/get", R"("taskId":"t",)", declared));
    const auto& get = o.asked<task_get>();
    CHECK(get.id == "t");
    const auto told = c.answer(get.key, task_state{task("t", "failed")});
    CHECK(told.only().at("result").at("resultType") == "complete");
    CHECK(told.only().at("result").at("status") == "failed");
}

TEST_CASE("changes of a task notify the listens that named it, under their own ids") {
    client c{with_tasks()};
    c.say(stateless_request("7", "subscriptions/listen", R"("notifications":{"taskIds":["t","u"]},)", declared));
    c.say(stateless_request("\"8\"", "subscriptions/listen", R"("notifications":{"taskIds":["u"]},)", declared));
    const auto changed = [&](const std::string& id) { return outcome{c.p.task_changed(task(id, "completed"))}; };
    const auto told = changed("t").only();
    CHECK(told.at("method") == "notifications/tasks");
    CHECK(told.at("params").at("status") == "completed");
    CHECK(told.at("params").at("_meta").at("io.modelcontextprotocol/subscriptionId") == 7);
    CHECK(changed("u").sent.size() == 2);
    CHECK(changed("v").nothing());
}
