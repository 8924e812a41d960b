#include "base/yaml.hpp"

#include "catch.hpp"

using namespace gdalmcp::base;

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

TEST_CASE("a bomb of aliases is refused") {
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
    CHECK(parse_yaml("a: &x [*x]\n").error().message == "line 1, column 8: an alias inside what it stands for");
}

TEST_CASE("keys are plain words") {
    CHECK(write_json(*parse_yaml("1: a\n'b': {}\n")) == R"({"1":"a","b":{}})");
    CHECK_FALSE(parse_yaml("? [a]\n: b\n"));
    CHECK_FALSE(parse_yaml("? {a: b}\n: c\n"));
}

TEST_CASE("nothing at all is null") {
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
