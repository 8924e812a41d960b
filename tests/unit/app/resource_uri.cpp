#include "app/resources/resource_uri.hpp"

#include "catch.hpp"

using namespace gdalmcp;
using app::resource_uri;

TEST_CASE("a URI is taken apart, and each escape decoded once") {
    const auto u = resource_uri::parse("catalog://workspace/all/a%20b/%2541?limit=5&extensions=tif%2Cgpkg",
                                       {"limit", "extensions"})
                       .value();
    CHECK(u.scheme == "catalog");
    CHECK(u.path == "workspace/all/a b/%41");
    CHECK(*u.find("extensions") == "tif,gpkg");
    CHECK(u.number("limit", 100, 1, 1000).value() == 5);
    CHECK(u.number("offset", 7, 0, 1000).value() == 7);
}

TEST_CASE("an empty template variable counts as absent") {
    const auto u = resource_uri::parse("catalog://workspace/all?limit=&include_hidden=", {"limit", "include_hidden"});
    CHECK(u->number("limit", 100, 1, 1000).value() == 100);
    CHECK(u->flag("include_hidden").value() == false);
}

TEST_CASE("a value that is not a number in range is refused with the value and the range") {
    for (const char* given : {"0", "1001", "-1", "1e3", "ten", "99999999999999999999"}) {
        const auto u = resource_uri::parse(std::string{"x://y?limit="} + given, {"limit"});
        const auto n = u->number("limit", 100, 1, 1000);
        REQUIRE_FALSE(n);
        CHECK(n.error().message.find(given) != std::string::npos);
        CHECK(n.error().message.find("1000") != std::string::npos);
    }
}

TEST_CASE("an unknown query parameter is refused by name") {
    const auto u = resource_uri::parse("x://y?limits=3", {"limit"});
    REQUIRE_FALSE(u);
    CHECK(u.error().message.find("'limits'") != std::string::npos);
}

TEST_CASE("a broken escape is refused") {
    for (const char* given : {"x://a%2", "x://a%zz", "x://a%00", "x://a?b=%"})
        CHECK_FALSE(resource_uri::parse(given, {"b"}));
}

TEST_CASE("encoding and decoding return the same text") {
    const std::string text = "Türkiye (Turkey) - 50% / a?b#c";
    CHECK(resource_uri::parse("x://" + app::percent_encoded(text))->path == text);
}

TEST_CASE("the URI at another offset keeps the spelling of the rest") {
    const auto u = resource_uri::parse("catalog://workspace/all/a%20b?limit=5&offset=3&extensions=tif,a%26b",
                                       {"limit", "offset", "extensions"});
    CHECK(u->at_offset(8) == "catalog://workspace/all/a%20b?extensions=tif%2Ca%26b&limit=5&offset=8");
    CHECK(resource_uri::parse("a://b")->at_offset(1) == "a://b?offset=1");
}
