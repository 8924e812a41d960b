#include "reflection/argument_reader.hpp"

#include "example.hpp"

using namespace example;

namespace {
const std::string question =
    "---\nname: why\ntitle: W\ndescription: D\narguments: [{name: measure, description: M}]\n---\n"
    "Why {{measure}}? {{choice}}\n";
const std::string compactness =
    "domain: compact\ntitle: measure\nprompt: why\nrisk: low\nquestion: Why?\nkey: {measure: lower}\n"
    "tools: {compactness: {measure: /measure}}\npolicy: {missing: block}\n";

const json::value& schema_of_compactness() {
    static const auto schema = parsed(R"({"type":"object","properties":{
        "measure":{"type":"string","enum":["convex_hull","polsby_popper"],
                   "x-gdalmcp-synonyms":{"hull":"convex_hull","isoperimetric":"polsby_popper"}},
        "stats":{"type":"array","items":{"type":"string","enum":["mean","std"],"x-gdalmcp-synonyms":{"average":"mean"}}},
        "share":{"type":"number","exclusiveMinimum":0,"maximum":1},
        "path":{"type":"string"}}})");
    return schema;
}
const json::value* schemas(std::string_view tool) { return tool == "compactness" ? &schema_of_compactness() : nullptr; }

std::shared_ptr<const specs> loaded(const std::string& spec) {
    const folder f;
    return specs::load({{"core", {f.file("d.yaml", spec)}, {f.file("why.md", question)}}}).value();
}

struct compact : setting {
    compact() { asked = loaded(compactness); }
    reflection::gate gate() const {
        return {asked, records, [this] { return now; }, {}, schemas};
    }
    std::string storing(const std::string& measure, const std::string& method, const std::string& tool = "") const {
        auto submission = store_call("compact", R"({"measure":")" + measure + "\"}", reason(method));
        if (!tool.empty()) submission.as_object()["tool_name"] = tool;
        const auto done = gate().store_justification(submission, crs());
        return done ? std::string{done->at("status").as_string()} : done.error().message + " -> " + done.error().hint;
    }
    bool runs(const std::string& justification = "null") {
        return gate().decide(calling("compactness", R"({"measure":"convex_hull"})", justification))->runs();
    }
};

std::string read(const std::string& key, const std::string& source, const json::value& given) {
    const auto s = loaded("domain: compact\ntitle: measure\nprompt: why\nrisk: low\nquestion: Why?\nkey: {a: " + key +
                          "}\ntools: {compactness: {a: " + source + "}, gone: {a: /a}}\n");
    const auto& spec = s->all().front();
    const auto v = argument_reader{schemas, "compactness"}.read(spec, spec.key.front(), given);
    return v ? line(*v) : v.error().message;
}
}  // namespace

TEST_CASE("a choice may be given in every spelling that the call accepts") {
    for (const char* spelling : {"hull", "Hull", "Convex-Hull", "convex hull", "convex_hull"}) {
        INFO(spelling);
        compact by_call;
        CHECK(by_call.runs("{\"compact\":" + reason(spelling) + "}"));
        compact by_store;
        CHECK(by_store.storing(spelling, spelling) == "stored");
        CHECK(by_store.runs());
        compact for_tool;
        CHECK(for_tool.storing(spelling, spelling, "compactness") == "stored");
        CHECK(for_tool.runs());
    }
}

TEST_CASE("a value that no call can have is not stored") {
    compact s;
    CHECK(s.storing("convex_hul", "convex_hul") ==
          "there is no measure 'convex_hul' -> did you mean 'convex_hull'? it is one of 'convex_hull', "
          "'polsby_popper'");
    CHECK(s.storing("roman", "roman", "compactness").find("there is no measure 'roman'") == 0);
}

TEST_CASE("an alternative that is the choice by another name is the choice") {
    compact s;
    auto answer = parsed(reason("convex_hull"));
    answer.at_pointer("/alternatives/0/method") = "Hull";
    const auto v =
        s.gate().decide(s.calling("compactness", R"({"measure":"convex_hull"})", "{\"compact\":" + line(answer) + "}"));
    REQUIRE_FALSE(v);
    CHECK(v.error().message.find("alternatives[0].method is 'Hull', which is the choice itself") != std::string::npos);
}

TEST_CASE("a prompt shows the choice as the call has it") {
    const compact s;
    const auto messages = s.asked->prompt_messages("why", {{"measure", "Isoperimetric"}}, crs(), schemas).value();
    CHECK(messages.at(0).at("content").at("text") == "Why polsby_popper? polsby_popper\n");
    const auto wrong = s.asked->prompt_messages("why", {{"measure", "roman"}}, crs(), schemas);
    CHECK(wrong.error().at == "/measure");
}

TEST_CASE("only values that come from arguments and constants are read") {
    CHECK(read("lower", "/measure", "Hull") == R"("convex_hull")");
    CHECK(read("lower", "[/measure, {value: none}]", "none") == R"("none")");
    CHECK(read("lower", "[/measure, {pointer: /path, part: extension}]", "hull") == R"("hull")");
    CHECK(read("{normalise: lower, list: true}", "/stats", "Average+std") == R"(["mean","std"])");
    CHECK(read("{normalise: lower, list: true}", "/stats", json::array{"average", "std"}) == R"(["mean","std"])");
    CHECK(read("{normalise: lower, list: true}", "/stats", "mean+median") == "there is no a 'median'");
    CHECK(read("lower", "/path", "Hull") == R"("Hull")");
    CHECK(read("crs", "/path", "4326") == R"("EPSG:4326")");
    CHECK(read("number", "/share", 0.5) == "0.5");
    CHECK(read("number", "/share", -1) == "'/a' is -1; it must be of type number, greater than 0, at most 1");
    CHECK(read("number", "[/share, {pointer: /path, option: SHARE}]", -1) == "-1");
}
