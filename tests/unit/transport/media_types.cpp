#include "transport/media_types.hpp"

#include "catch.hpp"

using gdalmcp::transport::accepts;

TEST_CASE("a client without an Accept field accepts anything") {
    CHECK(accepts(std::nullopt, "application/json"));
    CHECK(accepts("", "application/json"));
    CHECK(accepts(" \t", "application/json"));
}

TEST_CASE("a type is accepted by its name, by its kind and by */*, in any case") {
    for (const char* field : {"application/json", "text/html, application/json", "Application/JSON; charset=utf-8",
                              "application/*", "*/*;q=0.1", "text/html;level=1 ,\t*/* "}) {
        INFO(field);
        CHECK(accepts(field, "application/json"));
    }
    for (const char* field : {"text/html", "text/*", "application/jsonp", "application/json-seq", "*", ",", "json"}) {
        INFO(field);
        CHECK_FALSE(accepts(field, "application/json"));
    }
}

TEST_CASE("the most specific range decides, and q=0 is a no") {
    CHECK_FALSE(accepts("application/json;q=0, */*", "application/json"));
    CHECK_FALSE(accepts("*/*, application/json; q=0.000", "application/json"));
    CHECK_FALSE(accepts("application/*;q=0, */*;q=1", "application/json"));
    CHECK(accepts("*/*;q=0, application/json;q=0.001", "application/json"));
    CHECK(accepts("*/*;q=0, text/event-stream", "text/event-stream"));
    CHECK_FALSE(accepts("*/*;q=0, text/event-stream", "application/json"));
}
