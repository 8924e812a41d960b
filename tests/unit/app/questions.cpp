#include "app/call/question_rules.hpp"
#include "app/call/tool_questions.hpp"
#include "catch.hpp"

using namespace gdalmcp;
namespace json = boost::json;
using app::client;
using Catch::Matchers::ContainsSubstring;

namespace {

// Why the question may not be asked; empty: it may.
std::string refused(const char* name, const char* method, const char* params) {
    const auto ok = app::check_question(name, method, base::parse_json(params).value().as_object());
    if (ok) return {};
    CHECK(ok.error().code == base::code::internal);
    return ok.error().message;
}

std::string form_refused(const std::string& schema) {
    return refused("q", "elicitation/create", (R"({"message":"m","requestedSchema":)" + schema + "}").c_str());
}

std::string field_refused(const std::string& field) {
    return form_refused(R"({"type":"object","properties":{"f":)" + field + "}}");
}

json::object asks(const char* requests, json::array used = {}, json::value state = nullptr) {
    return {{"ask", json::object{{"requests", base::parse_json(requests).value()},
                                 {"used", std::move(used)},
                                 {"state", std::move(state)}}}};
}

const char* const one_question = R"({"user_name":{"method":"elicitation/create","params":{"message":"m",)"
                                 R"("requestedSchema":{"type":"object","properties":{"name":{"type":"string"}}}}}})";
const json::object ada{{"action", "accept"}, {"content", {{"name", "Ada"}}}};

}  // namespace

TEST_CASE("a form with flat fields is accepted") {
    for (const char* field :
         {R"({"type":"string"})", R"({"type":"string","title":"t","description":"d","minLength":1,"maxLength":9})",
          R"({"type":"string","format":"date-time","default":"x"})",
          R"({"type":"string","enum":["a","b"],"enumNames":["A","B"],"default":"a"})",
          R"({"type":"string","oneOf":[{"const":"a","title":"A"}]})",
          R"({"type":"integer","minimum":0,"maximum":9,"default":3})", R"({"type":"number","default":0.5})",
          R"({"type":"boolean","default":true})",
          R"({"type":"array","minItems":1,"maxItems":2,"items":{"type":"string","enum":["a"]},"default":["a"]})",
          R"({"type":"array","items":{"anyOf":[{"const":"a","title":"A"}]}})"}) {
        INFO(field);
        CHECK(field_refused(field) == "");
    }
    CHECK(form_refused(R"({"type":"object","properties":{"f":{"type":"string"}},"required":["f"]})") == "");
    CHECK(refused("q", "elicitation/create",
                  R"({"mode":"form","message":"m","requestedSchema":{"type":"object","properties":{}}})") == "");
}

TEST_CASE("a keyword that forms do not allow is a defect of the tool, named") {
    const std::pair<const char*, const char*> table[] = {
        {R"({"type":"object","properties":{}})", "'f' is of type \"object\""},
        {R"({"type":"null"})", "'f' is of type \"null\""},
        {R"({})", "'f' is of type null"},
        {R"({"type":"string","pattern":"^a$"})", "'f' of type string has 'pattern'"},
        {R"({"type":"string","minimum":1})", "has 'minimum'"},
        {R"({"type":"integer","maxLength":1})", "has 'maxLength'"},
        {R"({"type":"string","title":1})", "a title that is not a string"},
        {R"({"type":"string","format":"ipv4"})", "has format \"ipv4\""},
        {R"({"type":"string","minLength":-1})", "has minLength -1"},
        {R"({"type":"string","default":1})", "has default 1"},
        {R"({"type":"string","enum":[]})", "has enum []"},
        {R"({"type":"string","enum":[1]})", "has enum [1]"},
        {R"({"type":"string","oneOf":[{"const":"a"}]})", "has oneOf"},
        {R"({"type":"string","oneOf":[{"const":"a","title":1}]})", "has oneOf"},
        {R"({"type":"integer","default":0.5})", "has default 0.5"},
        {R"({"type":"boolean","default":"true"})", "has default"},
        {R"({"type":"array"})", "array without items"},
        {R"({"type":"array","items":{"type":"string"}})", "has items"},
        {R"({"type":"array","items":{"type":"integer","enum":["a"]}})", "has items"},
        {R"({"type":"array","items":{"anyOf":[{"const":"a","title":"A"}],"type":"string"}})", "has items"},
        {R"({"type":"array","items":{"type":"string","enum":["a"]},"default":["a",1]})", "has default"}};
    for (const auto& [field, why] : table) {
        INFO(field);
        CHECK_THAT(field_refused(field), ContainsSubstring("'q' (elicitation/create)") && ContainsSubstring(why));
    }
    CHECK_THAT(form_refused(R"({"type":"array"})"), ContainsSubstring("requestedSchema is not an object"));
    CHECK_THAT(form_refused(R"({"type":"object"})"), ContainsSubstring("no fields"));
    CHECK_THAT(form_refused(R"({"type":"object","properties":{},"required":["f"]})"),
               ContainsSubstring("requires 'f'"));
    CHECK_THAT(form_refused(R"({"type":"object","properties":{},"required":[1]})"),
               ContainsSubstring("not a list of names"));
    CHECK_THAT(form_refused(R"({"type":"object","properties":{},"$defs":{}})"), ContainsSubstring("'$defs'"));
    CHECK_THAT(refused("q", "elicitation/create", R"({"message":"m"})"),
               ContainsSubstring("requestedSchema is not an object"));
    CHECK_THAT(refused("q", "elicitation/create", R"({"requestedSchema":{"type":"object","properties":{}}})"),
               ContainsSubstring("no message"));
    CHECK_THAT(refused("q", "elicitation/create", R"({"mode":"url","message":"m","url":"https://x"})"),
               ContainsSubstring("'url'"));
    CHECK_THAT(refused("q", "elicitation/create", R"({"mode":"url","message":"m"})"),
               ContainsSubstring("the mode \"url\""));
}

TEST_CASE("sampling takes messages and a token limit, but no tools; roots takes no parameters") {
    const std::string message = R"({"role":"user","content":{"type":"text","text":"x"}})";
    const auto model = [&](const std::string& params) {
        return refused("q", "sampling/createMessage", params.c_str());
    };
    CHECK(model(R"({"messages":[)" + message + R"(],"maxTokens":9,"systemPrompt":"s","temperature":0})") == "");
    CHECK_THAT(model(R"({"messages":[],"maxTokens":9})"), ContainsSubstring("no messages"));
    CHECK_THAT(model(R"({"messages":[{"role":"system","content":{"type":"text"}}],"maxTokens":9})"),
               ContainsSubstring("without role"));
    CHECK_THAT(model(R"({"messages":[)" + message + "]}"), ContainsSubstring("no maxTokens"));
    CHECK_THAT(model(R"({"messages":[)" + message + R"(],"maxTokens":0})"), ContainsSubstring("no maxTokens"));
    CHECK_THAT(model(R"({"messages":[)" + message + R"(],"maxTokens":9,"tools":[]})"), ContainsSubstring("'tools'"));
    CHECK(refused("q", "roots/list", "{}") == "");
    CHECK_THAT(refused("q", "roots/list", R"({"all":true})"), ContainsSubstring("'all'"));
    CHECK_THAT(refused("q", "tools/call", "{}"), ContainsSubstring("its method is unknown"));
}

TEST_CASE("a question's name must not be reserved for the gate") {
    for (const char* fine : {"user_name", "a", "Step-1.b", "reasons", "second"})
        CHECK(refused(fine, "roots/list", "{}") == "");
    for (const char* wrong : {"", "reason_crs_datum", "second_look_crs_datum", "user name", "\xc3\xa5"})
        CHECK_THAT(refused(wrong, "roots/list", "{}"), ContainsSubstring("a question has the name"));
    CHECK_THAT(refused(std::string(65, 'a').c_str(), "roots/list", "{}"), ContainsSubstring("a question has the name"));
}

TEST_CASE("a tool receives the capabilities of its client") {
    client c;
    CHECK(app::told_to_tool(c) ==
          json::object({{"can", json::array{}}, {"answers", json::object{}}, {"state", nullptr}}));
    c.capabilities = base::parse_json(R"({"elicitation":{"url":{}},"roots":{}})").value().as_object();
    CHECK(app::told_to_tool(c).at("can") == json::array{"roots"});
    c.capabilities = base::parse_json(R"({"elicitation":{},"sampling":{}})").value().as_object();
    CHECK(app::told_to_tool(c).at("can") == json::array({"elicitation", "sampling"}));
}

TEST_CASE("a tool without questions is done") {
    const auto asked = app::asked_by_tool("t", {}, {});
    REQUIRE(asked);
    CHECK_FALSE(*asked);
}

TEST_CASE("answers a tool has read return in every later round, with its state; unread ones do not") {
    client first;
    auto asked = app::asked_by_tool("t", asks(one_question, {}, "kept"), first);
    REQUIRE((asked && *asked));
    CHECK((*asked)->requests == base::parse_json(one_question).value());

    client second;
    second.request_state = (*asked)->state;
    second.input_responses = {{"user_name", ada}, {"stranger", ada}, {"broken", 12345}};
    CHECK(app::told_to_tool(second).at("answers") == json::object({{"user_name", ada}, {"stranger", ada}}));
    CHECK(app::told_to_tool(second).at("state") == "kept");
    asked = app::asked_by_tool("t", asks(one_question, {"user_name", "never_answered"}, "kept"), second);
    REQUIRE((asked && *asked));

    client third;
    third.request_state = (*asked)->state;
    CHECK(app::told_to_tool(third).at("answers") == json::object({{"user_name", ada}}));
    third.input_responses = {{"user_name", json::object{{"action", "decline"}}}};  // a new answer counts
    CHECK(app::told_to_tool(third).at("answers").at("user_name") == json::object({{"action", "decline"}}));
}

TEST_CASE("a tool cannot see the gate's answers and state, which survive beside its own") {
    client c;
    c.request_state = {{"gate", "its own"}};
    c.input_responses = {{"reason_crs_datum", ada}, {"second_look_crs_datum", ada}, {"user_name", ada}};
    CHECK(app::told_to_tool(c).at("answers") == json::object({{"user_name", ada}}));
    auto asked = app::asked_by_tool("t", asks(one_question, {"user_name"}, 7), c);
    REQUIRE((asked && *asked));
    CHECK((*asked)->state.at("gate") == "its own");
    c.request_state = (*asked)->state;
    CHECK(app::state_beside_gate(c) == c.request_state);  // the gate asks in a later round
    CHECK(app::state_beside_gate(client{}) == json::object{});
}

TEST_CASE("a tool that asks a forbidden question, or keeps too much, fails its call") {
    const auto code = [](const json::object& done) {
        const auto asked = app::asked_by_tool("t", done, client{});
        return asked ? std::string{} : asked.error().code;
    };
    CHECK(code(asks(R"({"q":{"method":"tools/list","params":{}}})")) == base::code::internal);
    CHECK(code(asks("{}", {}, json::value(std::string(60'000, 'x')))) == "");
    CHECK(code(asks("{}", {}, json::value(std::string(70'000, 'x')))) == base::code::exhausted);
    const auto much = R"({"q":{"method":"sampling/createMessage","params":{"messages":[{"role":"user","content":)"
                      R"({"type":"text","text":")" +
                      std::string(70'000, 'x') + R"("}}],"maxTokens":1}}})";
    CHECK(code(asks(much.c_str())) == base::code::exhausted);
}
