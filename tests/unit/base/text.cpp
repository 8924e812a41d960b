#include "base/text.hpp"

#include "catch.hpp"

using namespace gdalmcp::base;

TEST_CASE("a percent escape becomes its byte, once") {
    CHECK(percent_decoded("a%20b") == "a b");
    CHECK(percent_decoded("%2541") == "%41");
    CHECK(percent_decoded("%C3%9f") == "\xC3\x9F");
    CHECK(percent_decoded("a+b") == "a+b");
    CHECK(percent_decoded("") == "");
}

TEST_CASE("a malformed escape, or one of NUL, is refused") {
    for (const char* text : {"%", "a%2", "%zz", "%-1", "%00"}) {
        INFO(text);
        CHECK_FALSE(percent_decoded(text));
    }
}
