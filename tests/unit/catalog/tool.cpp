#include "catalog/tool.hpp"

#include "base/schema_lint.hpp"
#include "bundle_on_disk.hpp"
#include "catch.hpp"

namespace json = boost::json;
using namespace gdalmcp;

namespace {
std::shared_ptr<const catalog::tool> read(const char* input, const char* output) {
    auto text = sound_tool("warp");
    text["input_schema"] = base::parse_json(input).value();
    text.erase("output_schema");
    if (output) text["output_schema"] = base::parse_json(output).value();
    return catalog::tool::read(text, nullptr).value();
}
const char* const writing_input = R"({"type":"object","additionalProperties":false,"properties":{
  "x-odd":{"type":"string","description":"a property, not a keyword","default":"x-gdalmcp"},
  "zones":{"description":"d","x-gdalmcp":"input-vector","anyOf":[{"type":"string","x-hint":1},{"type":"object"}]},
  "uris":{"type":"array","description":"d","items":{"type":"string","x-gdalmcp":"input-raster"}},
  "output":{"type":"string","description":"d","x-gdalmcp":"output-raster"}}})";
const char* const numbers_out =
    R"({"type":"object","additionalProperties":false,"properties":{"mean":{"type":"number","description":"m"}}})";
}  // namespace

TEST_CASE("clients see schemas without x-* keywords, and properties that merely look like them") {
    const auto definition = read(writing_input, numbers_out)->public_definition(false);
    CHECK(base::write_json(definition.at("inputSchema")) ==
          R"({"type":"object","properties":{)"
          R"("x-odd":{"type":"string","description":"a property, not a keyword","default":"x-gdalmcp"},)"
          R"("zones":{"description":"d","anyOf":[{"type":"string"},{"type":"object"}]},)"
          R"("uris":{"type":"array","description":"d","items":{"type":"string"}},)"
          R"("output":{"type":"string","description":"d"}}})");
    CHECK(base::write_json(definition.at("annotations")) ==
          R"({"title":"Warp","readOnlyHint":true,"destructiveHint":true,"idempotentHint":false,"openWorldHint":true})");
}

TEST_CASE("clients see which arguments headers repeat, at any depth of objects") {
    const char* const input =
        R"({"type":"object","properties":{"region":{"type":"string","description":"d","x-mcp-header":"Region"},)"
        R"("where":{"type":"object","description":"d","properties":{"level":{"type":"integer","description":"d",)"
        R"("x-mcp-header":"Level"}}}}})";
    CHECK(base::write_json(read(input, nullptr)->public_definition(false).at("inputSchema")) == input);
}

TEST_CASE("the URI of an output is text, of a tool that has one, and clients see no role") {
    const char* const result =
        R"({"type":"object","properties":{"made":{"type":"string","description":"d","x-gdalmcp":"uri-of-output"}}})";
    CHECK(base::write_json(read(writing_input, result)->public_definition(false).at("outputSchema")) ==
          R"({"type":"object","properties":{"made":{"type":"string","description":"d"}}})");
    const auto refusal = [](const char* input, const char* output) {
        auto text = sound_tool("warp");
        text["input_schema"] = base::parse_json(input).value();
        text["output_schema"] = base::parse_json(output).value();
        return catalog::tool::read(text, nullptr).error();
    };
    CHECK(refusal(R"({"type":"object","properties":{}})", result).message ==
          "'made' is the URI of the output, and no argument is an output");
    const char* const number =
        R"({"type":"object","properties":{"made":{"type":"number","description":"d","x-gdalmcp":"uri-of-output"}}})";
    CHECK(refusal(writing_input, number).message == "'made' is the URI of the output, but not of type string");
    const char* const argument =
        R"({"type":"object","properties":{"a":{"type":"string","description":"d","x-gdalmcp":"uri-of-output"}}})";
    CHECK(refusal(argument, numbers_out).message == "x-gdalmcp is \"uri-of-output\", an unknown role");
}

TEST_CASE("only the host sees that a tool runs as a task only") {
    auto text = sound_tool("warp");
    CHECK_FALSE(catalog::tool::read(text, nullptr).value()->annotations.task_only);
    text["annotations"] = json::object{{"taskOnly", true}};
    const auto t = catalog::tool::read(text, nullptr).value();
    CHECK(t->annotations.task_only);
    CHECK_FALSE(t->public_definition(false).at("annotations").as_object().contains("taskOnly"));
}

TEST_CASE("a governed tool takes an optional justification; its own argument schema does not") {
    const auto t = read(writing_input, numbers_out);
    const auto* governed = base::find_member(t->public_definition(true).at("inputSchema"), "properties");
    REQUIRE(governed);
    const auto definition = t->public_definition(true);
    const auto& properties = definition.at("inputSchema").at("properties").as_object();
    REQUIRE(properties.contains("justification"));
    CHECK(properties.at("justification").at("type").as_string() == "object");
    CHECK_FALSE(base::find_member(definition.at("inputSchema"), "required"));
    CHECK_FALSE(t->input().check(base::parse_json(R"({"justification":{}})").value()));
    CHECK(base::lint_schema(definition.at("inputSchema")).empty());
    CHECK(base::lint_schema(definition.at("outputSchema")).empty());
}

TEST_CASE("results of a writing tool are checked with the members the host adds, which the instructions describe") {
    const auto t = read(writing_input, numbers_out);
    CHECK(t->writes_dataset);
    REQUIRE(t->result_schema());
    const auto ok = [&](const char* text) {
        return t->result_schema()->check(base::parse_json(text).value()).has_value();
    };
    CHECK(ok(
        R"({"mean":1,"output":{"uri":"query://result/1","driver":"GTiff","size_bytes":9},"warnings":[],"checks":["x"]})"));
    CHECK_FALSE(ok(R"({"mean":1,"output":{"uri":"x","driver":"GTiff"}})"));
    CHECK_FALSE(ok(R"({"mean":1,"warnings":[1]})"));
    CHECK_FALSE(ok(R"({"other":1})"));
    CHECK(base::write_json(t->public_definition(false).at("outputSchema")) ==
          R"({"type":"object","properties":{"mean":{"type":"number","description":"m"}}})");
}

TEST_CASE("a tool that only answers has warnings, but no output and no checks") {
    const auto t = read(R"({"type":"object","properties":{}})", numbers_out);
    CHECK_FALSE(t->writes_dataset);
    const auto& properties = t->result_schema()->text().at("properties").as_object();
    CHECK(properties.contains("warnings"));
    CHECK_FALSE(properties.contains("output"));
    CHECK_FALSE(properties.contains("checks"));
}

TEST_CASE("a tool without a result schema answers in text, unless it writes: then the host's members are its schema") {
    CHECK_FALSE(read(R"({"type":"object"})", nullptr)->result_schema());
    CHECK_FALSE(read(R"({"type":"object"})", nullptr)->public_definition(false).contains("outputSchema"));
    CHECK(read(writing_input, nullptr)->result_schema());
    CHECK(
        read(R"({"type":"object"})", nullptr)->public_definition(true).at("inputSchema").at("properties").is_object());
}

// Validators are made at the first call, when it is too late for quarantine.
TEST_CASE("whatever keyword and value a tool's schema may have, calls can be checked against it") {
    const char* values[] = {"null",
                            "true",
                            "-1",
                            "1.5",
                            "\"x\"",
                            "\"[\"",
                            "\"object\"",
                            "[]",
                            "[\"a\"]",
                            "[\"a\",\"a\"]",
                            "[1]",
                            "[{}]",
                            "[[\"a\"]]",
                            "{}",
                            "{\"a\":1}",
                            "{\"a\":{}}",
                            "{\"type\":\"string\"}",
                            "{\"type\":1}",
                            "1e300",
                            "\"(\""};
    int admitted = 0, refused = 0;
    for (const auto keyword : base::accepted_keywords())
        for (const char* value : values) {
            const std::string schema = "{\"type\":\"object\",\"properties\":{\"v\":{\"description\":\"d\",\"" +
                                       std::string{keyword} + "\":" + value + "}}}";
            INFO(schema);
            auto text = sound_tool("warp");
            text["input_schema"] = base::parse_json(schema).value();
            const auto t = catalog::tool::read(text, nullptr);
            ++(t ? admitted : refused);
            if (!t) continue;
            for (const char* given : {"{}", R"({"v":"a"})", R"({"v":1})", R"({"v":["a"]})", R"({"v":{"a":1}})"})
                if (const auto ok = (*t)->input().check(base::parse_json(given).value()); !ok)
                    CHECK(ok.error().message.find("cannot be checked") == std::string::npos);
        }
    CHECK(admitted > 50);
    CHECK(refused > 50);
}
