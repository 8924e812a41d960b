#include <unistd.h>

#include "base/digest.hpp"
#include "base/file.hpp"
#include "bundle_on_disk.hpp"
#include "catalog/snapshot.hpp"
#include "catch.hpp"

namespace fs = std::filesystem;
namespace json = boost::json;
using namespace gdalmcp;
using Catch::Matchers::ContainsSubstring;

namespace {

std::string reason_of(const fs::path& folder) {
    const auto catalogue = catalog::load({folder});
    REQUIRE(catalogue->quarantine().size() == 1);
    return catalogue->quarantine().front().reason;
}

// The reason for which a bundle with a spoiled manifest is not used.
std::string refused(const std::function<void(json::object&)>& spoil) {
    const temporary t;
    write_bundle(t.path, "bad", "bad_tool", spoil);
    write_bundle(t.path, "good", "good_tool");
    const auto catalogue = catalog::load({t.path});
    REQUIRE(catalogue->find("good_tool"));
    CHECK_FALSE(catalogue->find("bad_tool"));
    REQUIRE(catalogue->quarantine().size() == 1);
    CHECK(catalogue->quarantine().front().path == t.path / "bad.bundle");
    return catalogue->quarantine().front().reason;
}

json::object& first_tool(json::object& manifest) { return manifest["tools"].as_array().front().as_object(); }
json::object& property(json::object& manifest, const char* name) {
    auto& properties = first_tool(manifest)["input_schema"].as_object()["properties"].as_object();
    return properties.emplace(name, json::object{}).first->value().as_object();
}

}  // namespace

TEST_CASE("a sound bundle becomes its tools, prompts and specs") {
    const temporary t;
    const auto folder = write_bundle(t.path, "one", "tool_a");
    const auto catalogue = catalog::load({t.path});
    CHECK(catalogue->quarantine().empty());
    REQUIRE(catalogue->tools().size() == 1);
    const auto* tool = catalogue->find("tool_a");
    REQUIRE(tool);
    CHECK(tool->title == "Tool a");
    CHECK(tool->annotations.read_only);
    CHECK(tool->annotations.open_world);
    const auto& b = *tool->bundle;
    CHECK(b.id == "org.test.one");
    CHECK(b.needs == catalog::runtime::plain);
    REQUIRE(b.library);
    CHECK(b.library->path == fs::canonical(folder) / "lib/x.so");
    CHECK(b.library->sha256 == base::sha256_hex("content of lib/x.so"));
    REQUIRE(b.prompts.size() == 1);
    CHECK(b.prompts.front().text == "content of prompts/p.md");
    REQUIRE(b.reflection.size() == 1);
    CHECK(b.reflection.front().path.filename() == "r.yaml");
    CHECK(catalog::verify(b));
}

TEST_CASE("a bundle without code brings prompts and specs only") {
    const temporary t;
    write_bundle(t.path, "rules", "none", [](json::object& m) {
        m.erase("library");
        m.erase("abi");
        m["tools"] = json::array{};
    });
    const auto catalogue = catalog::load({t.path});
    CHECK(catalogue->quarantine().empty());
    REQUIRE(catalogue->bundles().size() == 1);
    CHECK_FALSE(catalogue->bundles().front()->library);
    CHECK(catalogue->bundles().front()->reflection.size() == 1);
}

TEST_CASE("a manifest is refused by the field that is wrong, and no other bundle suffers") {
    CHECK_THAT(refused([](json::object& m) { m["schema_version"] = 2; }),
               ContainsSubstring("/schema_version") && ContainsSubstring("; describe the bundle with"));
    CHECK_THAT(refused([](json::object& m) { m.erase("id"); }),
               ContainsSubstring("manifest.json: the manifest lacks the required member 'id'"));
    CHECK_THAT(refused([](json::object& m) { m["version"] = "one"; }),
               ContainsSubstring("begin with numbers, like 1.4.0"));
    CHECK_THAT(refused([](json::object& m) { m["version"] = 1; }), ContainsSubstring("/version"));
    CHECK_THAT(refused([](json::object& m) { m["abi"].as_object()["major"] = 2; }),
               ContainsSubstring("/abi/major is 2; this host implements 1"));
    CHECK_THAT(refused([](json::object& m) { m.erase("abi"); }), ContainsSubstring("/abi"));
    CHECK_THAT(refused([](json::object& m) { m["needs"].as_object()["network"] = true; }),
               ContainsSubstring("/needs/network"));
    CHECK_THAT(refused([](json::object& m) { m["needs"].as_object()["runtime"] = "java"; }),
               ContainsSubstring("/needs/runtime"));
    CHECK_THAT(refused([](json::object& m) { m.erase("library"); }), ContainsSubstring("/library"));
    CHECK_THAT(refused([](json::object& m) { m["library"] = "lib/absent.so"; }), ContainsSubstring("lib/absent.so"));
    CHECK_THAT(refused([](json::object& m) { m["library"] = "/lib/x.so"; }), ContainsSubstring("/lib/x.so"));
    CHECK_THAT(refused([](json::object& m) { m["files"].as_object()["lib/x.so"] = "sha256:12"; }),
               ContainsSubstring("64 hex digits"));
    CHECK_THAT(refused([](json::object& m) { m["prompts"] = json::array{"prompts/unlisted.md"}; }),
               ContainsSubstring("prompts/unlisted.md"));
    CHECK_THAT(refused([](json::object& m) { m["prompts"] = json::array{7}; }), ContainsSubstring("/prompts/0"));
    CHECK_THAT(refused([](json::object& m) {
                   m["tools"] = json::array{sound_tool("twice"), sound_tool("twice")};
               }),
               ContainsSubstring("listed twice"));
}

TEST_CASE("versions begin with numbers") {
    for (const auto* version : {"1", "0.1.0", "2.0.1-rc.1", "1.4.2+build.5", "1.0rc1", "2024.11~dev"}) {
        const temporary t;
        write_bundle(t.path, "one", "tool_a", [&](json::object& m) { m["version"] = version; });
        CHECK(catalog::load({t.path})->bundles().size() == 1);
    }
    for (const auto* version : {"", "v1.0", ".1", "1.", "1..2", "1.0 final"})
        CHECK_THAT(refused([&](json::object& m) { m["version"] = version; }), ContainsSubstring("/version"));
}

TEST_CASE("an id is shown as far as one may be long") {
    const temporary t;
    write_bundle(t.path, "bad", "bad_tool", [](json::object& m) { m["id"] = "org." + std::string(5000, 'x'); });
    const auto catalogue = catalog::load({t.path});
    REQUIRE(catalogue->quarantine().size() == 1);
    CHECK(catalogue->quarantine().front().id.size() == 203);
    CHECK(catalogue->quarantine().front().reason.size() < 500);
}

TEST_CASE("the tools of a quarantined bundle are known by name") {
    const temporary t;
    write_bundle(t.path, "bad", "bad_tool", [](json::object& m) { m["version"] = "one"; });
    write_bundle(t.path, "late", "good_tool");
    write_bundle(t.path, "good", "good_tool");
    const auto catalogue = catalog::load({t.path});
    REQUIRE(catalogue->find_quarantined("bad_tool"));
    CHECK(catalogue->find_quarantined("bad_tool")->id == "org.test.bad");
    CHECK(catalogue->find_quarantined("good_tool")->id == "org.test.late");
    CHECK_FALSE(catalogue->find_quarantined("nobodys_tool"));
}

TEST_CASE("writing a manifest applies the rules of every host") {
    const temporary t;
    const auto folder = write_bundle(t.path, "one", "tool_a");
    auto text = base::parse_json(base::read_file(folder / "manifest.json").value()).value();
    fs::permissions(folder / "prompts/p.md", fs::perms{0666});
    text.at("needs").as_object()["network"] = true;
    CHECK(catalog::read_draft(folder, text));
    text.as_object()["id"] = "one";
    const auto refusal = catalog::read_draft(folder, text);
    REQUIRE_FALSE(refusal);
    CHECK_THAT(refusal.error().message, ContainsSubstring("'/id' is \"one\""));
    CHECK(refusal.error().hint == "write it in reverse DNS, like org.example.metres");
}

TEST_CASE("files a bundle lists must lie inside it") {
    const std::string digest = "sha256:" + base::sha256_hex("content of prompts/p.md");
    CHECK_THAT(refused([&](json::object& m) {
                   m["files"].as_object()["../good.bundle/prompts/p.md"] = digest;
                   m["prompts"] = json::array{"../good.bundle/prompts/p.md"};
               }),
               ContainsSubstring("is not a plain path inside the bundle"));
    const temporary t;
    const auto folder = write_bundle(t.path, "linked", "tool_a");
    write_text(t.path / "outside.so", "content of lib/x.so");
    fs::remove(folder / "lib/x.so");
    fs::create_symlink(t.path / "outside.so", folder / "lib/x.so");
    CHECK_THAT(reason_of(t.path), ContainsSubstring("symbolic link"));
    fs::remove(folder / "lib/x.so");
    fs::create_directory(folder / "lib/x.so");
    CHECK_THAT(reason_of(t.path), ContainsSubstring("not a regular file"));
}

TEST_CASE("a prompt or spec that was changed after the manifest was written is refused; a library is not opened") {
    const temporary t;
    const auto folder = write_bundle(t.path, "one", "tool_a");
    write_text(folder / "lib/x.so", "something else");
    CHECK(catalog::load({t.path})->find("tool_a"));
    CHECK_THAT(catalog::verify(*catalog::load({t.path})->bundles().front()).error().message,
               ContainsSubstring("lib/x.so"));
    write_text(folder / "reflection/r.yaml", "something else");
    CHECK_THAT(reason_of(t.path), ContainsSubstring("reflection/r.yaml") && ContainsSubstring("the manifest lists"));
}

TEST_CASE("files and parent folders that others may write are refused") {
    const temporary t;
    const auto folder = write_bundle(t.path, "one", "tool_a");
    for (const char* at : {"manifest.json", "lib/x.so", "lib", "prompts/p.md", "reflection", "."}) {
        INFO(at);
        const auto before = fs::status(folder / at).permissions();
        for (const auto bit : {fs::perms::group_write, fs::perms::others_write}) {
            fs::permissions(folder / at, before | bit);
            CHECK_THAT(reason_of(t.path), ContainsSubstring("others can write to it"));
        }
        fs::permissions(folder / at, before);
    }
    fs::permissions(t.path, fs::perms{0777});
    CHECK_THAT(reason_of(t.path), ContainsSubstring("others can write to it"));
    fs::permissions(t.path, fs::perms{01777});
    CHECK(catalog::load({t.path})->quarantine().empty());
}

TEST_CASE("a tool that breaks real clients quarantines its bundle, with name and location") {
    CHECK_THAT(refused([](json::object& m) { first_tool(m)["name"] = "Bad.Tool"; }), ContainsSubstring("\"Bad.Tool\""));
    CHECK_THAT(refused([](json::object& m) { first_tool(m)["name"] = std::string(65, 'a'); }),
               ContainsSubstring("{0,63}"));
    CHECK_THAT(refused([](json::object& m) { first_tool(m)["description"] = ""; }), ContainsSubstring("0 characters"));
    CHECK_THAT(refused([](json::object& m) { first_tool(m)["description"] = std::string(1001, 'a'); }),
               ContainsSubstring("1001 characters"));
    CHECK_THAT(refused([](json::object& m) {
                   first_tool(m)["output_schema"] = json::object{{"type", "array"}};
               }),
               ContainsSubstring("/tools/0/output_schema"));
    CHECK_THAT(refused([](json::object& m) { property(m, "uri").erase("description"); }),
               ContainsSubstring("/tools/0/input_schema/properties/uri") && ContainsSubstring("no description"));
    CHECK_THAT(refused([](json::object& m) { property(m, "uri")["x-gdalmcp"] = "input-cloud"; }),
               ContainsSubstring("\"input-cloud\""));
    CHECK_THAT(refused([](json::object& m) { property(m, "uri")["$ref"] = "#"; }), ContainsSubstring("$ref"));
    CHECK_THAT(refused([](json::object& m) { property(m, "justification")["description"] = "x"; }),
               ContainsSubstring("reserved by the host"));
    CHECK_THAT(refused([](json::object& m) {
                   for (const char* name : {"a", "b"})
                       property(m, name) = {{"type", "string"}, {"description", "x"}, {"x-gdalmcp", "output-any"}};
               }),
               ContainsSubstring("2 arguments are outputs"));
    CHECK_THAT(refused([](json::object& m) {
                   first_tool(m)["output_schema"].as_object()["properties"].as_object()["warnings"] =
                       json::object{{"type", "string"}, {"description", "x"}};
               }),
               ContainsSubstring("'warnings'"));
}

TEST_CASE("a keyword with a value the validator cannot use is refused at its place") {
    const std::pair<const char*, const char*> table[] = {{"type", "\"strin\""},
                                                         {"properties", "[]"},
                                                         {"items", "[{}]"},
                                                         {"additionalProperties", "1"},
                                                         {"required", "[1]"},
                                                         {"required", "\"uri\""},
                                                         {"enum", "{}"},
                                                         {"enum", "[]"},
                                                         {"pattern", "\"(\""},
                                                         {"pattern", "1"},
                                                         {"multipleOf", "0"},
                                                         {"minimum", "\"1\""},
                                                         {"maximum", "null"},
                                                         {"exclusiveMinimum", "true"},
                                                         {"exclusiveMaximum", "{}"},
                                                         {"minItems", "-1"},
                                                         {"maxItems", "1.5"},
                                                         {"maxItems", "18446744073709551615"},
                                                         {"minLength", "\"x\""},
                                                         {"maxLength", "[]"},
                                                         {"minProperties", "-1"},
                                                         {"maxProperties", "true"},
                                                         {"uniqueItems", "1"},
                                                         {"anyOf", "[]"},
                                                         {"oneOf", "{}"},
                                                         {"allOf", "[true]"},
                                                         {"title", "1"},
                                                         {"description", "1"},
                                                         {"format", "1"}};
    for (const auto& row : table) {
        INFO(row.first << ": " << row.second);
        const auto reason =
            refused([&](json::object& m) { property(m, "uri")[row.first] = base::parse_json(row.second).value(); });
        CHECK_THAT(reason, ContainsSubstring(std::string{"/input_schema/properties/uri"}));
    }
}

TEST_CASE("limits that no value satisfies are refused with both") {
    const auto reason = [](const char* limits) {
        return refused([&](json::object& m) {
            property(m, "n") = base::parse_json(limits).value().as_object();
            property(m, "n")["description"] = "d";
        });
    };
    const std::pair<const char*, const char*> table[] = {
        {R"({"minimum":5,"maximum":3})", "'minimum' of 'n' is 5 and 'maximum' is 3"},
        {R"({"minimum":3,"exclusiveMaximum":3})", "'minimum' of 'n' is 3 and 'exclusiveMaximum' is 3"},
        {R"({"exclusiveMinimum":3,"maximum":3})", "'exclusiveMinimum' of 'n' is 3 and 'maximum' is 3"},
        {R"({"exclusiveMinimum":3,"exclusiveMaximum":3})",
         "'exclusiveMinimum' of 'n' is 3 and 'exclusiveMaximum' is 3"},
        {R"({"type":"array","items":{"minLength":3,"maxLength":2}})", "'minLength' of 'n' is 3 and 'maxLength' is 2"},
        {R"({"minItems":3,"maxItems":2})", "'minItems' of 'n' is 3 and 'maxItems' is 2"},
        {R"({"minProperties":3,"maxProperties":2})", "'minProperties' of 'n' is 3 and 'maxProperties' is 2"}};
    for (const auto& row : table) CHECK_THAT(reason(row.first), ContainsSubstring(row.second));
}

TEST_CASE("a required member that is not declared is refused by its name") {
    CHECK_THAT(
        refused([](json::object& m) { first_tool(m)["input_schema"].as_object()["required"] = json::array{"url"}; }),
        ContainsSubstring("/input_schema/required") && ContainsSubstring("'url' is required"));
}

TEST_CASE("synonyms that callers could take for another value are refused with both") {
    const auto reason = [](const char* values, const char* synonyms) {
        return refused([&](json::object& m) {
            property(m, "word") = {{"type", "string"}, {"description", "d"}};
            property(m, "word")["enum"] = base::parse_json(values).value();
            property(m, "word")["x-gdalmcp-synonyms"] = base::parse_json(synonyms).value();
        });
    };
    CHECK_THAT(
        reason(R"(["a_b","c"])", R"({"A-B":"c"})"),
        ContainsSubstring("the synonym 'A-B' for \"c\" differs from the value \"a_b\" in case or separators only"));
    CHECK_THAT(reason(R"(["a_b","c"])", R"({"x":"a_b","X":"c"})"),
               ContainsSubstring("the synonym 'X' for \"c\" differs from the synonym 'x' for \"a_b\""));
}

TEST_CASE("keywords with values the validator can use are accepted") {
    const temporary t;
    write_bundle(t.path, "one", "tool_a", [](json::object& m) {
        property(m, "uri") = base::parse_json(R"({"type":"string","description":"d","title":"t","format":"uri",
            "minLength":0,"maxLength":9,"pattern":"^[a-z]+$","enum":["a"],"default":"a",
            "x-gdalmcp-synonyms":{"A":"a","b":"a","B":"a"}})")
                                 .value()
                                 .as_object();
        property(m, "n") = base::parse_json(R"({"type":"number","description":"d","minimum":-1.5,"maximum":9,
            "exclusiveMinimum":-2,"exclusiveMaximum":10,"multipleOf":0.5})")
                               .value()
                               .as_object();
        property(m, "list") = base::parse_json(R"({"type":"array","description":"d","items":{"type":"integer"},
            "minItems":4,"maxItems":4,"uniqueItems":true,"anyOf":[{"type":"array"}]})")
                                  .value()
                                  .as_object();
        property(m, "box") = base::parse_json(R"({"description":"d","type":"object","properties":{
            "x":{"type":"number","description":"d"}},"anyOf":[{"properties":{"x":{"const":1,"description":"d"}},"required":["y"]}]})")
                                 .value()
                                 .as_object();
    });
    const auto catalogue = catalog::load({t.path});
    REQUIRE(catalogue->find("tool_a"));
    CHECK(
        catalogue->find("tool_a")->input().check(base::parse_json(R"({"uri":"a","n":0.5,"list":[1,2,3,4]})").value()));
}

TEST_CASE("1000 characters are 1000 characters, whatever their bytes") {
    const temporary t;
    std::string about;
    for (int i = 0; i < 1000; ++i) about += "é";
    write_bundle(t.path, "one", "tool_a", [&](json::object& m) { first_tool(m)["description"] = about; });
    CHECK(catalog::load({t.path})->find("tool_a"));
}

TEST_CASE("a later bundle never shadows an earlier one, and both are named") {
    const temporary first, second;
    write_bundle(first.path, "mine", "tool_a");
    write_bundle(second.path, "theirs", "tool_a");
    write_bundle(second.path, "other", "tool_b", [](json::object& m) { m["id"] = "org.test.mine"; });
    const auto catalogue = catalog::load({first.path, second.path});
    REQUIRE(catalogue->find("tool_a"));
    CHECK(catalogue->find("tool_a")->bundle->id == "org.test.mine");
    REQUIRE(catalogue->quarantine().size() == 2);
    CHECK_THAT(catalogue->quarantine()[0].reason, ContainsSubstring("bundle id 'org.test.mine' is taken"));
    CHECK(catalogue->quarantine()[1].id == "org.test.theirs");
    CHECK_THAT(catalogue->quarantine()[1].reason,
               ContainsSubstring("tool 'tool_a'") && ContainsSubstring("'org.test.mine'"));
}

TEST_CASE("the host's own tools cannot be taken") {
    const temporary t;
    write_bundle(t.path, "one", "preflight");
    const auto catalogue = catalog::load({t.path}, {{"preflight"}, {}, {}, {}});
    REQUIRE(catalogue->quarantine().size() == 1);
    CHECK_THAT(catalogue->quarantine().front().reason, ContainsSubstring("host's own"));
}

TEST_CASE("a directory named twice clashes with nothing; one that is missing is skipped") {
    const temporary t;
    write_bundle(t.path, "one", "tool_a");
    const auto catalogue = catalog::load({t.path, t.path / ".", t.path / "absent"});
    CHECK(catalogue->quarantine().empty());
    CHECK(catalogue->tools().size() == 1);
}

TEST_CASE("a folder is a bundle once it has a manifest, and a broken manifest names the location") {
    const temporary t;
    fs::create_directories(t.path / "half.bundle/lib");
    CHECK(catalog::load({t.path})->quarantine().empty());
    write_text(t.path / "half.bundle/manifest.json", "{\"id\": ");
    CHECK_THAT(reason_of(t.path), ContainsSubstring("not valid JSON"));
    fs::remove(t.path / "half.bundle/manifest.json");
    fs::create_symlink("/etc/hostname", t.path / "half.bundle/manifest.json");
    CHECK_THAT(reason_of(t.path), ContainsSubstring("symbolic link"));
}

TEST_CASE("a header needs a unique token, on a plain value that clients look at") {
    // What is put among the arguments (replaces "uri"), and what the reason says.
    const std::pair<const char*, const char*> table[] = {
        {R"({"a":{"type":"string","x-mcp-header":""}})", "is \"\", which is not a header name"},
        {R"({"a":{"type":"string","x-mcp-header":"My Region"}})", "not a header name"},
        {R"({"a":{"type":"string","x-mcp-header":"Region:Primary"}})", "not a header name"},
        {R"({"a":{"type":"string","x-mcp-header":"R\u00e9gion"}})", "not a header name"},
        {R"({"a":{"type":"string","x-mcp-header":"Region\t1"}})", "not a header name"},
        {R"({"a":{"type":"string","x-mcp-header":1}})", "not a header name"},
        {R"({"a":{"type":"number","x-mcp-header":"A"}})", "not a string, integer or boolean"},
        {R"({"a":{"type":"object","x-mcp-header":"A"}})", "not a string, integer or boolean"},
        {R"({"a":{"type":"array","items":{"type":"string"},"x-mcp-header":"A"}})", "not a string, integer or boolean"},
        {R"({"a":{"type":"null","x-mcp-header":"A"}})", "not a string, integer or boolean"},
        {R"({"a":{"anyOf":[{"type":"string"}],"x-mcp-header":"A"}})", "not a string, integer or boolean"},
        {R"({"a":{"type":"array","items":{"type":"string","x-mcp-header":"A"}}})", "clients do not look for it"},
        {R"({"a":{"anyOf":[{"type":"string","x-mcp-header":"A"}]}})", "clients do not look for it"},
        {R"({"a":{"type":"object","additionalProperties":{"type":"string","x-mcp-header":"A"}}})",
         "clients do not look for it"},
        {R"({"a":{"type":"string","x-mcp-header":"A"},"b":{"type":"string","x-mcp-header":"A"}})",
         "another argument already uses"},
        {R"({"a":{"type":"string","x-mcp-header":"MyField"},"b":{"type":"integer","x-mcp-header":"myfield"}})",
         "another argument already uses"}};
    const auto with = [](const char* arguments) {
        return [=](json::object& m) {
            auto properties = base::parse_json(arguments).value().as_object();
            for (auto& p : properties) p.value().as_object()["description"] = "d";
            first_tool(m)["input_schema"] = {{"type", "object"}, {"properties", std::move(properties)}};
        };
    };
    for (const auto& [arguments, why] : table) {
        INFO(arguments);
        CHECK_THAT(refused(with(arguments)), ContainsSubstring("/input_schema") && ContainsSubstring(why));
    }
    CHECK_THAT(refused([](json::object& m) {
                   first_tool(m)["output_schema"].as_object()["properties"].as_object()["mean"] =
                       json::object{{"type", "integer"}, {"description", "d"}, {"x-mcp-header", "A"}};
               }),
               ContainsSubstring("/output_schema") && ContainsSubstring("clients do not look for it"));
}
