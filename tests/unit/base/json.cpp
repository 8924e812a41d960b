#include "base/json.hpp"

#include "base/digest.hpp"
#include "base/pointer.hpp"
#include "base/repeated_member.hpp"
#include "base/text.hpp"
#include "catch.hpp"

using namespace gdalmcp::base;

TEST_CASE("numbers are written as ECMAScript does (RFC 8785, appendix B)") {
    CHECK(format_number(0.0) == "0");
    CHECK(format_number(-0.0) == "0");
    CHECK(format_number(5e-324) == "5e-324");
    CHECK(format_number(-5e-324) == "-5e-324");
    CHECK(format_number(1.7976931348623157e308) == "1.7976931348623157e+308");
    CHECK(format_number(9007199254740992.0) == "9007199254740992");
    CHECK(format_number(295147905179352830000.0) == "295147905179352830000");
    CHECK(format_number(9.999999999999997e22) == "9.999999999999997e+22");
    CHECK(format_number(1e23) == "1e+23");
    CHECK(format_number(1e21) == "1e+21");
    CHECK(format_number(999999999999999900000.0) == "999999999999999900000");
    CHECK(format_number(333333333.3333332) == "333333333.3333332");
    CHECK(format_number(0.000001) == "0.000001");
    CHECK(format_number(1e-7) == "1e-7");
    CHECK(format_number(-0.0000033333333333333333) == "-0.0000033333333333333333");
    CHECK(format_number(100.5) == "100.5");
}

TEST_CASE("NaN and infinity are null, and bad UTF-8 becomes U+FFFD") {
    CHECK(write_json(json::array{std::nan(""), HUGE_VAL, 1.5}) == "[null,null,1.5]");
    CHECK(write_json(json::value(json::string("caf\xE9"))) == "\"caf\xEF\xBF\xBD\"");
    CHECK(write_json(json::value(json::string("a\"\\\n\x01"))) == R"("a\"\\\n\u0001")");
}

TEST_CASE("canonical JSON sorts by UTF-16 code units (RFC 8785, 3.2.3)") {
    const auto v = parse_json(
        R"({"\u20ac":"Euro Sign","\r":"Carriage Return","\ufb33":"Hebrew","1":"One","\ud83d\ude00":"Emoji","\u0080":"Control","\u00f6":"o"})");
    REQUIRE(v);
    CHECK(canonical_json(*v) ==
          "{\"\\r\":\"Carriage "
          "Return\",\"1\":\"One\",\"\xC2\x80\":\"Control\",\"\xC3\xB6\":\"o\",\"\xE2\x82\xAC\":\"Euro "
          "Sign\",\"\xF0\x9F\x98\x80\":\"Emoji\",\"\xEF\xAC\xB3\":\"Hebrew\"}");
}

TEST_CASE("1.0 and 1 are one number, also in keys") {
    CHECK(canonical_json(*parse_json("[0.0, 1.0, 1e3, -0.0, 0.5]")) == "[0,1,1000,0,0.5]");
    CHECK(canonical_json(*parse_json("9007199254740993")) == "9007199254740992");
    CHECK(write_json(*parse_json("9007199254740993")) == "9007199254740993");
}

TEST_CASE("broken JSON is refused") {
    for (const char* text : {"", "{", "{\"a\":1,}", "[1] 2", "NaN", "1e400", "\"\xff\"", "'a'"}) {
        INFO(text);
        CHECK_FALSE(parse_json(text));
    }
    CHECK_FALSE(parse_json(std::string(100, '[') + std::string(100, ']')));
    CHECK(parse_json(std::string(60, '[') + std::string(60, ']')));
}

TEST_CASE("JSON with more values than allowed is refused, whatever their types") {
    for (const char* three : {"[1,\"a\"]", "{\"a\":null,\"b\":1.5}", "[[],{}]", "[true,18446744073709551615]"}) {
        CHECK(parse_json(three, 3));
        const auto refused = parse_json(three, 2);
        REQUIRE_FALSE(refused);
        CHECK(refused.error().message == "more than 2 JSON values");
    }
}

TEST_CASE("SHA-256 of 'abc' is the published one (FIPS 180-4)") {
    CHECK(sha256_hex("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST_CASE("a JSON Pointer reads and writes in place") {
    json::value v;
    CHECK(put_at_pointer(v, "/bands/0/mean", 2));
    CHECK(put_at_pointer(v, "/bands/-/mean", 3));
    CHECK(put_at_pointer(v, "/a~1b", true));
    CHECK(write_json(v) == R"({"bands":[{"mean":2},{"mean":3}],"a/b":true})");
    CHECK(at_pointer(v, "/bands/1/mean")->get_int64() == 3);
    CHECK(at_pointer(v, "/bands/2") == nullptr);
    CHECK(at_pointer(v, "/bands/01") == nullptr);
    CHECK_FALSE(put_at_pointer(v, "/bands/7", 1));
    CHECK_FALSE(put_at_pointer(v, "/a~1b/c", 1));
}

TEST_CASE("a text that is not a JSON Pointer reads and writes nothing") {
    json::value v = json::object{{"a~b", 1}, {"c~", 2}, {"d", 3}};
    const auto before = v;
    for (const std::string_view at : {"d", "a/d", "/a~b", "/c~", "/~2", "/x/y~", "/\xff", "/x/\xe2\x82"}) {
        INFO(at);
        CHECK_FALSE(is_pointer(at));
        CHECK(at_pointer(v, at) == nullptr);
        CHECK_FALSE(put_at_pointer(v, at, 9));
        CHECK(v == before);
    }
    CHECK(at_pointer(v, "/a~0b")->get_int64() == 1);
}

TEST_CASE("base64 is that of RFC 4648, section 10") {
    CHECK(base64("") == "");
    CHECK(base64("f") == "Zg==");
    CHECK(base64("fo") == "Zm8=");
    CHECK(base64("foobar") == "Zm9vYmFy");
}

TEST_CASE("overlong forms, surrogates and truncated sequences are not UTF-8") {
    CHECK(is_utf8("\xF0\x9F\x98\x80 \xC3\xB6"));
    for (const char* bad : {"\xC0\xAF", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xE2\x82", "\x80"})
        CHECK_FALSE(is_utf8(bad));
}

TEST_CASE("a number is read as the double nearest to its text") {
    // Texts and doubles from Python's float(); a reader that multiplies by powers of ten misses some of them.
    const std::pair<const char*, double> cases[] = {{"123456789012345680000", 0x1.ac53a7e04bcdap+66},
                                                    {"-117.12345678901234", -0x1.d47e6b74dd1bdp+6},
                                                    {"9.007199254740993e15", 0x1.0000000000000p+53},
                                                    {"0.1", 0x1.999999999999ap-4},
                                                    {"2.2250738585072014e-308", 0x1.0000000000000p-1022},
                                                    {"5e-324", 0x0.0000000000001p-1022},
                                                    {"1e-400", 0x0.0p+0},
                                                    {"8.41e21", 0x1.c7e83209e90b2p+72}};
    for (const auto& [text, value] : cases) {
        INFO(text);
        const auto v = parse_json(text);
        REQUIRE(v);
        CHECK(v->to_number<double>() == value);
    }
    CHECK_FALSE(parse_json("1e400"));
    CHECK_FALSE(parse_json("1 2"));
    CHECK_FALSE(parse_json("1."));
    CHECK_FALSE(parse_json(""));
}

TEST_CASE("a name given twice in one object is found with its place") {
    CHECK(repeated_member(R"({"a":1,"b":{"c":1,"d":2,"c":3},"b":1})") == "/b/c");
    CHECK(repeated_member(R"([1,"x",{"a/b":[],"a\u002fb":null}])") == "/2/a~1b");
    CHECK(repeated_member(R"({"a":{"a":[{"b":1},{"b":1}]},"b":"a"})") == std::nullopt);
    CHECK(repeated_member(R"({"a":1,"a")") == std::nullopt);
}
