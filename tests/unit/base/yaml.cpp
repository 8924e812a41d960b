#include "base/yaml.hpp"

#include "catch.hpp"

using namespace gdalmcp::base;

namespace {
// "pointer:line" of every value, in the order of pointers.
std::string lines_of(const std::string& text) {
    const auto document = parse_yaml_document(text);
    std::string all;
    for (const auto& [pointer, line] : document->lines)
        all += (all.empty() ? "" : " ") + pointer + ":" + std::to_string(line);
    return all;
}
}  // namespace

TEST_CASE("plain scalars have types, quoted ones are strings") {
    const auto v = parse_yaml("{a: 1, b: '1', c: 0.5, d: true, e: null, f: EPSG:3857, g: 1.2.3, h: [x, -2], i: ''}");
    REQUIRE(v);
    CHECK(write_json(*v) ==
          R"({"a":1,"b":"1","c":0.5,"d":true,"e":null,"f":"EPSG:3857","g":"1.2.3","h":["x",-2],"i":""})");
}

TEST_CASE("errors name line and column") {
    CHECK(parse_yaml("a: 1\nb: [\n").error().message.find("line ") == 0);
    CHECK(parse_yaml("a: 1\na: 2\n").error().message == "line 2, column 1: 'a' stands twice");
}

TEST_CASE("a mistake in the layout has a line and a remedy") {
    const auto refused = [](const char* text) {
        const auto p = parse_yaml(text).error();
        return p.message.substr(0, 7) + " " + p.hint;
    };
    CHECK(refused("key:\n\ta: lower\n") == "line 2, line 2 is indented with a tab; YAML allows blanks only");
    CHECK(refused("title: t\nquestion: Why: does it?\n") ==
          "line 2, put a text that contains a colon followed by a blank in quotes");
    CHECK(refused("tools:\n  t:\n   a: x\n    b: /b\n") ==
          "line 4, indent the members of a map by the same number of blanks, and its values by more");
    CHECK(parse_yaml("a: 1\na: 2\n").error().hint.empty());
}

TEST_CASE("text that is not UTF-8 is refused, with its line") {
    CHECK(parse_yaml("a: 1\nb: \xAC\xAC\n").error().message == "line 2: the text is not UTF-8");
    CHECK(parse_yaml("\xFF\xFE a").error().message == "line 1: the text is not UTF-8");  // UTF-16
    CHECK(parse_yaml("a: b\nc: \xC3\xA9").value().at("c") == "\xC3\xA9");
}

TEST_CASE("an alias bomb is refused") {
    std::string text = "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n";
    for (int i = 1; i < 9; ++i) {
        const auto before = "*a" + std::to_string(i - 1), name = "a" + std::to_string(i);
        text += name + ": &" + name + " [" + before;
        for (int k = 0; k < 9; ++k) text += "," + before;
        text += "]\n";
    }
    CHECK_FALSE(parse_yaml(text));
}

TEST_CASE("an alias stands for what its anchor names") {
    const auto v = parse_yaml("a: &x {b: [1, two]}\nc: [*x, &y three, *y]\nd: *x\n");
    REQUIRE(v);
    CHECK(write_json(*v) == R"({"a":{"b":[1,"two"]},"c":[{"b":[1,"two"]},"three","three"],"d":{"b":[1,"two"]}})");
    CHECK(parse_yaml("a: &x [*x]\n").error().message == "line 1, column 8: an alias inside its own anchor");
}

TEST_CASE("keys are plain words") {
    CHECK(write_json(*parse_yaml("1: a\n'b': {}\n")) == R"({"1":"a","b":{}})");
    CHECK_FALSE(parse_yaml("? [a]\n: b\n"));
    CHECK_FALSE(parse_yaml("? {a: b}\n: c\n"));
}

TEST_CASE("an empty document is null") {
    CHECK(parse_yaml("")->is_null());
    CHECK(parse_yaml("# a comment\n")->is_null());
}

TEST_CASE("nesting ends at 64 levels, also through aliases") {
    const auto nested = [](int levels) { return std::string(levels, '[') + "x" + std::string(levels, ']'); };
    CHECK(parse_yaml(nested(64)));
    CHECK_FALSE(parse_yaml(nested(65)));
    CHECK(parse_yaml("- &a " + nested(32) + "\n- " + std::string(31, '[') + "*a" + std::string(31, ']')));
    CHECK_FALSE(parse_yaml("- &a " + nested(32) + "\n- " + std::string(32, '[') + "*a" + std::string(32, ']')));
}

TEST_CASE("a document has the line of every value, members that of their key") {
    CHECK(lines_of("domain: crs\n"
                   "key: {dst_crs: crs}\n"
                   "tools:\n"
                   "  # a comment\n"
                   "  raster_reproject:\n"
                   "    dst_crs: /dst_crs\n"
                   "list:\n"
                   "- a\n"
                   "- b: 1\n"
                   "  c:\n"
                   "- [x,\n"
                   "   y]\n") ==
          ":1 /domain:1 /key:2 /key/dst_crs:2 /list:7 /list/0:8 /list/1:9 /list/1/b:9 /list/1/c:10 /list/2:11 "
          "/list/2/0:11 /list/2/1:12 /tools:3 /tools/raster_reproject:5 /tools/raster_reproject/dst_crs:6");
}

TEST_CASE("the root stands where it begins") {
    CHECK(lines_of("") == ":1");
    CHECK(lines_of("---\n# a comment\n\nword\n") == ":4");
    CHECK(lines_of("\n\n- a\n") == ":3 /0:3");
}

TEST_CASE("keys are escaped as in a JSON Pointer") { CHECK(lines_of("a/b:\n  c~d: 1\n") == ":1 /a~1b:1 /a~1b/c~0d:2"); }

TEST_CASE("the content of an alias has the line of the alias") {
    CHECK(lines_of("a: &x {b: [1,\n 2]}\nc: *x\n") == ":1 /a:1 /a/b:1 /a/b/0:1 /a/b/1:2 /c:3 /c/b:3 /c/b/0:3 /c/b/1:3");
}

TEST_CASE("a document is the value that parse_yaml reads, and refused for the same reasons") {
    for (const char* text : {"a: 1\nb: [x, {c: null}]\n", "a: &x {b: 1}\nc: *x\n", "", "a: 1\na: 2\n", "a: &x [*x]\n",
                             "? [a]\n: b\n", "x: &k a\n? *k\n: c\n", "b: ["}) {
        const auto value = parse_yaml(text);
        const auto document = parse_yaml_document(text);
        REQUIRE(value.has_value() == document.has_value());
        if (value)
            CHECK(write_json(document->value) == write_json(*value));
        else
            CHECK(document.error().message == value.error().message);
    }
}

TEST_CASE("long keys above a long list are refused before their pointers fill the memory") {
    std::string text;
    for (int i = 0; i < 60; ++i) text += "{" + std::string(1000, 'k') + ": ";
    text += "[";
    for (int i = 0; i < 300; ++i) text += "x,";
    text += "]" + std::string(60, '}');
    CHECK(parse_yaml(text));
    CHECK_FALSE(parse_yaml_document(text));
}
