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
