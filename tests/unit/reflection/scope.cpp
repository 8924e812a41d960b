#include "reflection/scope.hpp"

#include "example.hpp"

using namespace example;

namespace {
// What differs between two values under one comparison; "" = it holds.
std::string difference(const std::string& comparison, const std::string& stored, const std::string& now) {
    const auto entry = parse_scope_entry("x", parsed("{\"fact\":\"/x\"," + comparison + "}")).value();
    const auto found = differences({entry}, {{"x", parsed(stored)}}, {{"x", parsed(now)}});
    return found.empty() ? "" : found.front();
}
}  // namespace

TEST_CASE("same: equal values") {
    CHECK(difference(R"("same":true)", R"("class")", R"("class")").empty());
    CHECK(difference(R"("same":true)", R"("class")", R"("ratio")") == "x is ratio, the reason was given for class");
    CHECK(difference(R"("same":true)", R"("unknown")", R"("class")").empty());
    CHECK(difference(R"("same":true)", R"("class")", R"("unknown")") == "x is unknown, the reason was given for class");
}

TEST_CASE("grow: a box within the stored one, grown on each side") {
    CHECK(difference(R"("grow":0.5)", "[0,0,10,10]", "[-5,-5,15,15]").empty());
    CHECK_FALSE(difference(R"("grow":0.5)", "[0,0,10,10]", "[-5.1,0,10,10]").empty());
    CHECK_FALSE(difference(R"("grow":0)", "[0,0,10,10]", "[0,0,10,10.5]").empty());
    CHECK(difference(R"("grow":0.5)", "[3,3,3,3]", "[3.005,3,3.005,3]").empty());  // a point has a neighbourhood
}

TEST_CASE("numbers: factor, within, at_least, at_most") {
    CHECK(difference(R"("factor":2)", "30", "60").empty());
    CHECK(difference(R"("factor":2)", "30", "15").empty());
    CHECK_FALSE(difference(R"("factor":2)", "30", "61").empty());
    CHECK_FALSE(difference(R"("factor":2)", "30", "14").empty());
    CHECK(difference(R"("within":0.1)", "0.5", "0.6").empty());
    CHECK(difference(R"("within":0.1)", "0.5", "0.35") == "x is 0.35, the reason was given for 0.5");
    CHECK(difference(R"("at_least":0.5)", "40", "20").empty());
    CHECK_FALSE(difference(R"("at_least":0.5)", "40", "19").empty());
    CHECK(difference(R"("at_most":2)", "0.1", "0.2").empty());
    CHECK_FALSE(difference(R"("at_most":2)", "0.1", "0.3").empty());
    CHECK(difference(R"("at_most":2,"unless_below":0.01)", "0.001", "0.009").empty());
}

TEST_CASE("a fact that either side lacks decides nothing, and a comparison is reported once") {
    const auto entry = parse_scope_entry("x", parsed(R"({"fact":"/x","same":true})")).value();
    CHECK(differences({entry}, {}, {{"x", 1}}).empty());
    CHECK(differences({entry}, {{"x", 1}}, {}).empty());
    CHECK_FALSE(parse_scope_entry("x", parsed(R"({"fact":"/x"})")));
    CHECK_FALSE(parse_scope_entry("x", parsed(R"({"fact":"/x","same":true,"within":1})")));
}

TEST_CASE("whether values may be codes decides nothing where both sides know their kind") {
    const auto entry = [](const char* name, const char* text) { return parse_scope_entry(name, parsed(text)).value(); };
    const std::vector<scope_entry> scope = {
        entry("kind", R"({"fact":"/input/kind","same":true})"),
        entry("may_be_codes", R"({"fact":"/input/may_be_codes","same":true,"else":"block"})")};
    const json::object stated{{"kind", "class"}, {"may_be_codes", true}};
    CHECK(differences(scope, stated, {{"kind", "class"}, {"may_be_codes", false}}).empty());
    CHECK(differences(scope, {{"kind", "imagery"}, {"may_be_codes", false}},
                      {{"kind", "unknown"}, {"may_be_codes", true}})
              .size() == 2);
}

TEST_CASE("a reason for a point holds within a hundredth of a degree of it") {
    const std::vector<scope_entry> scope{
        parse_scope_entry("bbox", parsed(R"({"fact":"/input/box","or_fact":"/evidence/e/extent","grow":0.5})"))
            .value()};
    const auto at = [&](const char* facts) { return situation_of(scope, parsed(facts), "", parsed("{}"), {}); };
    const auto point = at(R"({"evidence":{"e":{"extent":[20.4,-34,20.4,-34]}}})");
    CHECK(line(json::value(point)) == R"({"bbox":[20.4,-34,20.4,-34]})");
    CHECK(differences(scope, point, at(R"({"input":{"box":[20.395,-34.005,20.405,-33.995]}})")).empty());
    CHECK(differences(scope, point, at(R"({"input":{"box":[-118.3,34.2,-118.1,34.4]}})")).size() == 1);
}

TEST_CASE("the situation of a call holds its facts, its arguments, and statements for facts the data lack") {
    const auto entry = [](const char* name, const char* text) { return parse_scope_entry(name, parsed(text)).value(); };
    const std::vector<scope_entry> scope = {
        entry("kind", R"({"fact":"/input/kind","same":true})"),
        entry("weighting", R"({"argument":"/weights","absent":"covered area","same":true})"),
        entry("use", R"({"same":true})")};
    CHECK(line(json::value(situation_of(scope, parsed(R"({"input":{"kind":"unknown"}})"), "", parsed("{}"),
                                        {{"kind", "count"}, {"use", "measure"}}))) ==
          R"({"kind":"count","weighting":"covered area","use":"measure"})");
    CHECK(line(json::value(situation_of(scope, parsed(R"({"input":{"kind":"class"}})"), "",
                                        parsed(R"({"weights":"pop.tif"})"), {{"kind", "count"}}))) ==
          R"({"kind":"class","weighting":"pop.tif"})");
}

TEST_CASE("an argument that only some tools have is in the situation of their calls alone") {
    const std::vector<scope_entry> scope = {
        parse_scope_entry("limit",
                          parsed(R"({"argument":"/max_depth","for":["fill"],"absent":"no limit","same":true})"))
            .value()};
    const auto of_call = [&](std::string_view tool, const char* arguments) {
        return situation_of(scope, parsed("{}"), tool, parsed(arguments), {});
    };
    CHECK(line(json::value(of_call("fill", "{}"))) == R"({"limit":"no limit"})");
    CHECK(of_call("direct", "{}").empty());
    CHECK(differences(scope, of_call("fill", R"({"max_depth":1})"), of_call("direct", "{}")).empty());
    CHECK(differences(scope, of_call("fill", "{}"), of_call("fill", R"({"max_depth":1})")).size() == 1);
}
