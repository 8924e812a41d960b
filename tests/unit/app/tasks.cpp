#include "app/server/tasks.hpp"

#include "catch.hpp"
#include "mcp/reply.hpp"

using namespace gdalmcp;
using namespace std::chrono_literals;
using app::tasks;
namespace json = base::json;

namespace {

// Tasks under a clock of the test's, and all that was told of them.
struct bench {
    std::chrono::system_clock::time_point now{std::chrono::seconds{1'800'000'000}};
    std::vector<json::object> told;
    tasks all{[this] { return now; }, 1h, [this](const json::object& t) { told.push_back(t); }};

    std::string status(const std::string& id) const { return std::string{all.state(id)->at("status").as_string()}; }
};

json::object question(const std::string& text) {
    return {{"method", "elicitation/create"}, {"params", {{"message", text}}}};
}

}  // namespace

TEST_CASE("a task starts as working, in the protocol's shape") {
    bench b;
    const auto id = *b.all.begin();
    const auto s = *b.all.summary(id);
    CHECK(s == json::object{{"taskId", id},
                            {"status", "working"},
                            {"createdAt", "2027-01-15T08:00:00.000Z"},
                            {"lastUpdatedAt", "2027-01-15T08:00:00.000Z"},
                            {"ttlMs", 3'600'000},
                            {"pollIntervalMs", 1000}});
    CHECK(*b.all.state(id) == s);
    CHECK(b.told.empty());
    CHECK_FALSE(b.all.state("another"));
}

TEST_CASE("task ids are long and unique") {
    bench b;
    const auto one = *b.all.begin(), other = *b.all.begin();
    CHECK(one.size() == 32);
    CHECK(one != other);
}

TEST_CASE("the outcome of a task is notified with its body and time") {
    bench b;
    const auto done = *b.all.begin(), failed = *b.all.begin(), cancelled = *b.all.begin();
    b.now += 5s;
    b.all.tell(done, "50 %");
    b.all.complete(done, {{"content", json::array{}}});
    b.all.fail(failed, {mcp::rpc_code::internal_error, "it crashed", json::object{{"code", "crashed"}}});
    b.all.cancel(cancelled);
    REQUIRE(b.told.size() == 4);
    CHECK(b.told[0].at("statusMessage") == "50 %");
    CHECK(b.told[0].at("lastUpdatedAt") == "2027-01-15T08:00:05.000Z");
    CHECK(b.told[0].at("createdAt") == "2027-01-15T08:00:00.000Z");
    CHECK(b.told[1].at("result") == json::value(json::object{{"content", json::array{}}}));
    CHECK(b.told[2].at("error") ==
          json::value(json::object{{"code", -32603}, {"message", "it crashed"}, {"data", {{"code", "crashed"}}}}));
    CHECK(b.told[3].at("status") == "cancelled");
    CHECK(b.all.by_status() ==
          std::map<std::string, std::size_t>{
              {"working", 0}, {"input_required", 0}, {"completed", 1}, {"failed", 1}, {"cancelled", 1}});
}

TEST_CASE("repeated progress is notified once") {
    bench b;
    const auto id = *b.all.begin();
    b.all.tell(id, "50 %");
    b.all.tell(id, "50 %");
    CHECK(b.told.size() == 1);
}

TEST_CASE("a task that has ended does not change") {
    bench b;
    const auto id = *b.all.begin();
    b.all.cancel(id);
    b.all.complete(id, {});
    b.all.fail(id, {});
    b.all.tell(id, "50 %");
    b.all.ask(id, {{"name", question("Who?")}});
    CHECK_FALSE(b.all.answer(id, {{"name", {}}}));
    CHECK(b.status(id) == "cancelled");
    CHECK(b.told.size() == 1);
}

TEST_CASE("all answers are delivered together, once the last one arrives") {
    bench b;
    const auto id = *b.all.begin();
    b.all.ask(id, {{"name", question("Who?")}, {"sure", question("Sure?")}});
    CHECK(b.status(id) == "input_required");
    CHECK(b.all.state(id)->at("inputRequests").as_object().size() == 2);
    CHECK_FALSE(b.all.answer(id, {{"name", "Ada"}, {"nobody asked", 1}}));
    CHECK(b.all.state(id)->at("inputRequests") == json::value(json::object{{"sure", question("Sure?")}}));
    CHECK_FALSE(b.all.answer(id, {{"name", "Bob"}}));  // was answered
    CHECK(b.all.answer(id, {{"sure", true}}) == json::object{{"name", "Ada"}, {"sure", true}});
    CHECK(b.status(id) == "working");
    CHECK_FALSE(b.all.answer(id, {{"sure", true}}));
}

TEST_CASE("a question that is asked again has a new name for the client and the old one for the tool") {
    bench b;
    const auto id = *b.all.begin();
    for (const auto* seen : {"name", "name-2", "name-3"}) {
        b.all.ask(id, {{"name", question("Who?")}});
        CHECK(b.all.state(id)->at("inputRequests") == json::value(json::object{{seen, question("Who?")}}));
        CHECK_FALSE(b.all.answer(id, {{"another", "Ada"}}));
        CHECK(b.all.answer(id, {{seen, "Ada"}}) == json::object{{"name", "Ada"}});
    }
}

TEST_CASE("a task is forgotten when its time is over, but never while it is running") {
    bench b;
    const auto done = *b.all.begin(), asking = *b.all.begin(), working = *b.all.begin();
    b.all.complete(done, {});
    b.all.ask(asking, {{"name", question("Who?")}});
    b.now += 1h - 1ms;
    b.all.expire();
    CHECK(b.all.knows(done));
    b.now += 1ms;
    b.all.expire();
    CHECK_FALSE(b.all.knows(done));
    CHECK_FALSE(b.all.knows(asking));
    CHECK(b.all.knows(working));
}

TEST_CASE("at the limit no task starts, because the existing ones keep their promised time") {
    bench b;
    std::vector<std::string> ids;
    for (std::size_t i = 0; i < tasks::most; ++i) ids.push_back(*b.all.begin());
    b.all.ask(ids[0], {{"name", question("Who?")}});
    CHECK_FALSE(b.all.begin());
    b.all.complete(ids[9], {});
    CHECK_FALSE(b.all.begin());
    for (const auto& id : ids) CHECK(b.all.knows(id));
}

TEST_CASE("a result that no client could read makes the task fail") {
    bench b;
    const auto small = *b.all.begin(), large = *b.all.begin();
    b.all.complete(small, {{"text", std::string(mcp::max_result - 100, 'x')}});
    b.all.complete(large, {{"text", std::string(mcp::max_result, 'x')}});
    CHECK(b.status(small) == "completed");
    CHECK(b.status(large) == "failed");
    for (const auto& told : b.told) CHECK(base::write_json(json::value(told)).size() < mcp::max_line);
}

TEST_CASE("answers without a question change nothing") {
    bench b;
    const auto id = *b.all.begin();
    b.all.ask(id, {{"who", question("Who?")}});
    const auto told = b.told.size();
    CHECK_FALSE(b.all.answer(id, {{"other", "x"}}));
    CHECK(b.told.size() == told);
}
