#include "reflection/condition.hpp"

#include "example.hpp"

using namespace example;

namespace {
std::string word(truth t) { return t == truth::yes ? "yes" : t == truth::no ? "no" : "unknown"; }

struct scene {
    json::value arguments = parsed(R"({"x":"A.TIF","n":3,"empty":"","list":[],"flag":false})");
    json::value facts = parsed(R"({"input":{"crs":{"code":"epsg:3857"},"other":null}})");
    json::object key{{"dst_crs", "EPSG:3857"}, {"s", ""}};

    std::string truth_of(const char* condition, bool facts_known = true) {
        circumstances here;
        here.tool = "t";
        here.arguments = &arguments;
        here.facts = facts_known ? &facts : nullptr;
        here.key = &key;
        here.normalise = [](std::string_view, const json::value& v) {
            return normal_form({form::crs, false, {}, {}}, v, crs());
        };
        return word(holds(parse_condition(parsed(condition), "/c").value(), here));
    }
};
}  // namespace

TEST_CASE("conditions test arguments") {
    scene s;
    CHECK(s.truth_of(R"({"argument":"/x","present":true})") == "yes");
    CHECK(s.truth_of(R"({"argument":"/empty","present":true})") == "no");
    CHECK(s.truth_of(R"({"argument":"/list","present":false})") == "yes");
    CHECK(s.truth_of(R"({"argument":"/flag","present":true})") == "yes");
    CHECK(s.truth_of(R"({"argument":"/y","present":false})") == "yes");
    CHECK(s.truth_of(R"({"argument":"/n","is":3})") == "yes");
    CHECK(s.truth_of(R"({"argument":"/n","in":[1,2]})") == "no");
    CHECK(s.truth_of(R"({"argument":"/y","is":null})") == "no");
    CHECK(s.truth_of(R"({"argument":"/x","ends_with":[".png",".tif"]})") == "yes");
    CHECK(s.truth_of(R"({"argument":"/n","ends_with":"3"})") == "no");
    CHECK(s.truth_of(R"({"argument":"/x","present":true,"tool":"other"})") == "no");
}

TEST_CASE("a fact equals a key argument in its normal form") {
    scene s;
    CHECK(s.truth_of(R"({"fact":"/input/crs/code","equals_arg":"dst_crs"})") == "yes");
    CHECK(s.truth_of(R"({"fact":"/input/crs/name","equals_arg":"dst_crs"})") == "no");
    CHECK(s.truth_of(R"({"key":"s","is":""})") == "yes");
    s.facts = parsed(R"({"input":{"crs":{"code":"EPSG:4326"}}})");
    CHECK(s.truth_of(R"({"fact":"/input/crs/code","equals_arg":"dst_crs"})") == "no");
    s.facts = parsed(R"({"input":{"crs":{"code":"nonsense"}}})");
    CHECK(s.truth_of(R"({"fact":"/input/crs/code","equals_arg":"dst_crs"})") == "no");
}

TEST_CASE("unread facts, and facts without the input, settle nothing") {
    scene s;
    CHECK(s.truth_of(R"({"fact":"/input/crs/code","present":false})", false) == "unknown");
    CHECK(s.truth_of(R"({"fact":"/input/other","present":false})") == "yes");
    s.facts = parsed("{}");
    CHECK(s.truth_of(R"({"fact":"/input/crs","present":false})") == "unknown");
    CHECK(s.truth_of(R"({"all":[{"argument":"/x","present":true},{"fact":"/input/a","is":1}]})", false) == "unknown");
    CHECK(s.truth_of(R"({"all":[{"argument":"/y","present":true},{"fact":"/input/a","is":1}]})", false) == "no");
    CHECK(s.truth_of(R"({"any":[{"argument":"/x","present":true},{"fact":"/input/a","is":1}]})", false) == "yes");
    CHECK(s.truth_of(R"({"any":[{"argument":"/y","present":true},{"fact":"/input/a","is":1}]})", false) == "unknown");
}

TEST_CASE("a malformed condition is refused with its location") {
    const auto error = [](const char* text) {
        const auto c = parse_condition(parsed(text), "/not_needed_when/0");
        return c ? "accepted" : c.error().message;
    };
    CHECK(error("7").substr(0, 37) == "/not_needed_when/0 must be a conditio");
    CHECK(error(R"({"argument":"/x","eq":1})") == "/not_needed_when/0/eq is not part of a condition");
    CHECK(error(R"({"argument":"x","present":true})") ==
          "/not_needed_when/0/argument must be a JSON Pointer such as /x");
    CHECK(error(R"({"key":"/x","present":true})") == "/not_needed_when/0/key must name a key argument");
    CHECK(error(R"({"argument":"/x","present":1})") == "/not_needed_when/0/present must be true or false");
    CHECK(error(R"({"argument":"/x","is":{}})") ==
          "/not_needed_when/0/is holds {}; it takes text, numbers, true, false or null");
    CHECK(error(R"({"argument":"/x"})").find("needs exactly one of") != std::string::npos);
    CHECK(error(R"({"present":true})").find("needs exactly one of") != std::string::npos);
    CHECK(error(R"({"argument":"/x","fact":"/y","present":true})").find("needs exactly one of") != std::string::npos);
    CHECK(error(R"({"all":[]})") == "/not_needed_when/0/all must be a list of conditions");
    CHECK(error(R"({"any":[{"argument":"/x"}]})").substr(0, 24) == "/not_needed_when/0/any/0");
}
