// What a prompt says beside its text, and what it asks of the person first.
#include "example.hpp"
#include "reflection/prompt.hpp"

using namespace example;

namespace {

const std::string pixel = "\x89PNG\r\n\x1a\n";

// A prompt with these fields beside name, title and description, and these files beside it.
base::result<prompt> with(const std::string& fields, const std::string& body = "") {
    static const std::string legend = "1 water\n", broken = "\xff";
    const prompt_files files = [](std::string_view name) -> const std::string* {
        if (name == "red.png") return &pixel;
        if (name == "legend.txt") return &legend;
        return name == "broken.txt" ? &broken : nullptr;
    };
    return parse_prompt("---\nname: p\ntitle: P\ndescription: P\n" + fields + "---\n" + body, "p.md", files);
}

std::string error_of(const std::string& fields) { return with(fields, "Text.\n").error().message; }

const std::string asks_where =
    "arguments: [{name: place, description: P, required: true}]\n"
    "ask:\n  where:\n    message: Where?\n"
    "    schema: {type: object, properties: {place: {type: string, minLength: 1}}, required: [place]}\n";

json::value accepted(const char* content) {
    return parsed(std::string{R"({"where": {"action": "accept", "content": )"} + content + "}}");
}

}  // namespace

TEST_CASE("a prompt's messages come before its text, in their roles") {
    const auto p = with(
        "arguments: [{name: at, description: A}]\nmessages:\n"
        "  - {role: assistant, text: 'What of {{at}}?'}\n"
        "  - {role: user, image: {file: red.png}}\n"
        "  - {role: user, resource: {uri: 'test://{{at}}', file: legend.txt}}\n",
        "Go on.\n");
    REQUIRE(p);
    CHECK(line(json::value(p->messages({{"at", "here"}}))) ==
          R"([{"role":"assistant","content":{"type":"text","text":"What of here?"}},)"
          R"({"role":"user","content":{"type":"image","data":"iVBORw0KGgo=","mimeType":"image/png"}},)"
          R"({"role":"user","content":{"type":"resource","resource":{"uri":"test://here","mimeType":"text/plain",)"
          R"("text":"1 water\n"}}},{"role":"user","content":{"type":"text","text":"Go on.\n"}}])");
}

TEST_CASE("a prompt may consist of messages alone, and sound and bytes go out as base64") {
    const auto p = with(
        "messages:\n  - {role: user, audio: {file: red.png, mime_type: audio/wav}}\n"
        "  - {role: user, resource: {uri: 'test://x', file: red.png}}\n");
    REQUIRE(p);
    const auto said = p->messages({});
    REQUIRE(said.size() == 2);
    CHECK(said[0].at("content").at("type") == "audio");
    CHECK(said[0].at("content").at("mimeType") == "audio/wav");
    CHECK(said[1].at("content").at("resource").at("blob") == "iVBORw0KGgo=");
}

TEST_CASE("an invalid message is refused with its line") {
    const auto message = [](const std::string& m) { return error_of("messages:\n  - {role: user, " + m + "}\n"); };
    CHECK(message("text: 'a', image: {file: red.png}") ==
          "p.md, line 6: a message has a role and one of text, image, audio, resource");
    CHECK(message("image: {file: blue.png}") == "p.md, line 6: there is no file 'blue.png' beside the prompt");
    CHECK(message("image: {file: legend.txt}") ==
          "p.md, line 6: mime_type is 'text/plain', which is not of type image");
    CHECK(message("text: '{{b}}'") == "p.md, line 6: the text uses {{b}}, which arguments do not declare");
    CHECK(message("resource: {uri: '{{b}}'}").find("{{b}}") != std::string::npos);
    CHECK(message("text: '{{#b}}'") == "p.md, line 6: Unclosed section \"b\"");
    CHECK(message("resource: {uri: 'test://x', file: broken.txt}") ==
          "p.md, line 6: 'broken.txt' is text/plain, but not UTF-8");
    CHECK(error_of("messages: [{role: system, text: a}]\n").find("'/messages/0/role'") != std::string::npos);
}

TEST_CASE("a person is asked for what the caller did not give") {
    const auto p = with(asks_where, "At {{place}}.\n");
    REQUIRE(p);
    CHECK(line(json::value(questions_of(*p, {}, nullptr).requests)) ==
          R"({"where":{"method":"elicitation/create","params":{"mode":"form","message":"Where?","requestedSchema":)"
          R"({"type":"object","properties":{"place":{"type":"string","minLength":1}},"required":["place"]}}}})");
    CHECK(questions_of(*p, {{"place", "Oslo"}}, nullptr).requests.empty());
    const auto answered = questions_of(*p, {}, accepted(R"({"place": "Oslo"})"));
    CHECK(answered.requests.empty());
    CHECK(p->render(answered.arguments) == "At Oslo.\n");
}

TEST_CASE("an answer does not overwrite the caller's arguments") {
    const auto p = with(asks_where, "At {{place}}.\n");
    CHECK(questions_of(*p, {{"place", "Bergen"}}, accepted(R"({"place": "Oslo"})")).arguments.at("place") == "Bergen");
}

TEST_CASE("an invalid form is shown again; a dismissed one is not") {
    const auto p = with(asks_where, "At {{place}}.\n");
    CHECK(questions_of(*p, {}, accepted(R"({"place": ""})")).requests.size() == 1);
    CHECK(questions_of(*p, {}, accepted("12345")).requests.size() == 1);
    CHECK(
        questions_of(*p, {}, parsed(R"({"other": {"action": "accept", "content": {"place": "x"}}})")).requests.size() ==
        1);
    const auto declined = questions_of(*p, {}, parsed(R"({"where": {"action": "decline"}})"));
    CHECK(declined.requests.empty());
    CHECK_FALSE(declined.arguments.contains("place"));
}

TEST_CASE("arguments a person can be asked for are not required of the caller") {
    const auto p = with(asks_where, "At {{place}}.\n");
    CHECK(p->definition().at("arguments").at(0).at("required") == false);
    specs s;
    REQUIRE(
        s.add({"core", {}, {{"p.md", "---\nname: p\ntitle: P\ndescription: P\n" + asks_where + "---\n{{place}}\n"}}}));
    CHECK(s.prompt_messages("p", {}, crs()).error().message == "the prompt 'p' needs 'place'");
}

TEST_CASE("a form is flat and requests declared arguments") {
    const auto form = [](const std::string& properties) {
        return error_of(
            "arguments: [{name: a, description: A}]\nask:\n  q:\n    message: Q?\n    schema: {type: object, "
            "properties: " +
            properties + "}\n");
    };
    CHECK(form("{b: {type: string}}") == "p.md, line 7: the form requests 'b', which arguments do not declare");
    CHECK(form("{a: {type: object}}").substr(0, 14) == "p.md, line 9: ");
    CHECK(form("{a: {type: string, pattern: x}}").find("'pattern'") != std::string::npos);
    CHECK(form("{}").substr(0, 14) == "p.md, line 9: ");
}

TEST_CASE("the question of a domain is a text") {
    const folder f;
    specs s;
    const auto ok = s.add({"core",
                           {f.file("d.yaml",
                                   "domain: d\ntitle: D\nprompt: p\nrisk: low\nquestion: Q?\nkey: {place: lower}\n"
                                   "tools: {t: {place: /a}}\n")},
                           {{"p.md", "---\nname: p\ntitle: P\ndescription: P\n" + asks_where + "---\n{{place}}\n"}}});
    CHECK(ok.error().message.find("the question of a domain is a text without messages and ask") != std::string::npos);
}
