#include "app/call/elicitation.hpp"

#include <fstream>

#include "catch.hpp"
#include "workspace/temporary_folder.hpp"

using namespace gdalmcp;
using app::elicitation;
namespace json = boost::json;
namespace fs = std::filesystem;

namespace {

// A server's rounds over a state folder of their own, at a time that a test moves.
struct server {
    workspace::temporary_folder state =
        workspace::temporary_folder::make(workspace::new_temporary_name(fs::temp_directory_path()), false).value();
    std::chrono::system_clock::time_point now{std::chrono::seconds{1'800'000'000}};
    elicitation process{state.path(), [this] { return now; }};

    // What the client sends after this question: the same call with the state and its responses.
    mcp::tool_call after(mcp::tool_call call, const app::client& asker, json::value kept) {
        auto asked = process.ask(app::called_by(call), asker, {{{"why", "a question"}}, std::move(kept)});
        REQUIRE(asked);
        CHECK(asked->requests == json::object{{"why", "a question"}});
        call.request_state = json::value(asked->state);
        call.input_responses = json::object{{"why", json::object{{"action", "decline"}}}};
        return call;
    }
};

mcp::tool_call warp() {
    mcp::tool_call c;
    c.name = "warp";
    c.arguments = {{"dst_crs", "EPSG:3857"}};
    c.client_capabilities = {{"elicitation", json::object{}}};
    return c;
}

}  // namespace

TEST_CASE("a call starts with its client's capabilities, and without creating a key") {
    server s;
    const auto c = s.process.begin(warp());
    REQUIRE(c);
    CHECK(c->capabilities == warp().client_capabilities);
    CHECK(c->round == 0);
    CHECK(c->request_state.is_null());
    CHECK(fs::is_empty(s.state.path()));
}

TEST_CASE("the next round has the kept state and the answers") {
    server s;
    const auto again = s.after(warp(), {}, {{"domain", "crs_datum"}});
    const auto c = s.process.begin(again);
    REQUIRE(c);
    CHECK(c->round == 1);
    CHECK(c->request_state == json::value{{"domain", "crs_datum"}});
    CHECK(c->input_responses == again.input_responses.as_object());
    CHECK(c->capabilities == warp().client_capabilities);
}

TEST_CASE("answers without a state count for a tool's questions, never for the gate's") {
    server s;
    auto call = warp();
    const json::object yes{{"action", "accept"}};
    call.input_responses = json::object{{"why", yes}, {"reason_crs_datum", yes}, {"second_look_crs_datum", yes}};
    const auto c = s.process.begin(call);
    REQUIRE(c);
    CHECK(c->input_responses == json::object{{"why", yes}});
    CHECK(c->round == 0);
}

TEST_CASE("another process with the same state folder continues where the first one stopped") {
    server s;
    const auto again = s.after(warp(), {}, 7);
    elicitation restarted{s.state.path(), [&] { return s.now; }};
    CHECK(restarted.begin(again).value().request_state == 7);
}

TEST_CASE("a state is valid for one call and a limited time") {
    server s;
    const auto again = s.after(warp(), {}, 7);
    auto other = again;
    other.arguments["dst_crs"] = "EPSG:4326";
    CHECK(s.process.begin(other).error().code == base::code::invalid_argument);
    other = again;
    other.name = "echo";
    CHECK(s.process.begin(other).error().code == base::code::invalid_argument);
    other = again;
    other.request_state = json::value(std::string{again.request_state.as_string()} + "-TAMPERED");
    CHECK(s.process.begin(other).error().code == base::code::invalid_argument);
    s.now += app::request_state::lifetime;
    CHECK(s.process.begin(again).error().code == base::code::invalid_argument);
}

TEST_CASE("a call asks at most eight times") {
    server s;
    auto call = warp();
    for (unsigned round = 1; round <= elicitation::max; ++round) {
        call = s.after(call, s.process.begin(call).value(), nullptr);
        REQUIRE(s.process.begin(call).value().round == round);
    }
    const auto once_more = s.process.ask(app::called_by(call), s.process.begin(call).value(), {});
    REQUIRE_FALSE(once_more);
    CHECK(once_more.error().code == base::code::exhausted);
    CHECK(once_more.error().message.find("asked 8 times") != std::string::npos);
}

TEST_CASE("where no key can be stored, the process uses one of its own") {
    server s;
    std::ofstream{s.state.path() / "a file"} << "in the way";
    elicitation process{s.state.path() / "a file", [&] { return s.now; }};
    elicitation another{s.state.path() / "a file", [&] { return s.now; }};
    auto call = warp();
    call.request_state = json::value(process.ask(app::called_by(call), {}, {{}, 7}).value().state);
    CHECK(process.begin(call).value().request_state == 7);
    CHECK_FALSE(another.begin(call));
}

TEST_CASE("a state that another version of the program signed is refused, not believed") {
    server s;
    auto call = warp();
    REQUIRE(s.process.ask(app::called_by(call), {}, {}));  // makes the key
    const app::request_state states{app::request_state_key(s.state.path()).value(), [&] { return s.now; }};
    const auto binding = "/" + app::call_binding("tools/call", call.name, call.arguments);
    call.request_state = json::value(states.mint({{"round", 1}, {"state", nullptr}}, binding));
    CHECK(s.process.begin(call));
    for (const char* payload : {"5", "{}", R"({"round":"1","state":{}})", R"({"round":1})"}) {
        INFO(payload);
        call.request_state = json::value(states.mint(json::parse(payload), binding));
        const auto refused = s.process.begin(call);
        REQUIRE_FALSE(refused);
        CHECK(refused.error().code == base::code::invalid_argument);
    }
}
