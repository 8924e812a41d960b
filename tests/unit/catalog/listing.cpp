#include "catalog/listing.hpp"

#include "catch.hpp"

namespace json = boost::json;
using namespace gdalmcp;

namespace {
std::string arguments(const char* schema) {
    return base::write_json(catalog::listed_arguments(base::parse_json(schema).value()));
}
std::string result(const char* schema) {
    return base::write_json(catalog::listed_result(base::parse_json(schema).value()).at("properties"));
}
}  // namespace

TEST_CASE("a list that may be one bare value is listed as a list") {
    CHECK(arguments(R"({"anyOf":[{"type":"array","items":{"type":"integer","minimum":1},"minItems":1},)"
                    R"({"type":"integer","minimum":1}],"description":"Bands."})") ==
          R"({"type":"array","items":{"type":"integer","minimum":1},"minItems":1,"description":"Bands."})");
    CHECK(arguments(R"({"anyOf":[{"type":"boolean"},{"type":"array","items":{"type":"integer"}}]})") ==
          R"({"anyOf":[{"type":"boolean"},{"type":"array","items":{"type":"integer"}}]})");
}

TEST_CASE(
    "branches of a choice keep their members, without x-* keywords; those of a geometry are known by their types") {
    const std::string branches =
        R"("anyOf":[{"type":"object","properties":{"type":{"type":"string","x-hint":1}}},{"type":"array","minItems":4}])";
    CHECK(arguments(("{" + branches + "}").c_str()) ==
          R"({"anyOf":[{"type":"object","properties":{"type":{"type":"string"}}},{"type":"array","minItems":4}]})");
    CHECK(arguments((R"({"x-gdalmcp":"geometry",)" + branches + "}").c_str()) ==
          R"({"anyOf":[{"type":"object"},{"type":"array"}]})");
    CHECK(arguments(R"({"oneOf":[{"type":"string","x-hint":1}],"additionalProperties":{"x-hint":1}})") ==
          R"({"oneOf":[{"type":"string"}],"additionalProperties":{}})");
}

TEST_CASE("meaning, unit, range and default of an argument are listed; rules the host enforces anyway are not") {
    CHECK(arguments(R"({"type":"object","additionalProperties":false,"required":["n"],"properties":{)"
                    R"("n":{"type":"number","minimum":0,"exclusiveMaximum":9,"default":1,"description":"Depth. [m]"},)"
                    R"("s":{"type":"string","minLength":1,"x-gdalmcp":"crs","enum":["a"]}}})") ==
          R"({"type":"object","required":["n"],"properties":{)"
          R"("n":{"type":"number","minimum":0,"exclusiveMaximum":9,"default":1,"description":"Depth. [m]"},)"
          R"("s":{"type":"string","enum":["a"]}}})");
    CHECK(arguments(R"({"type":"string","minLength":2})") == R"({"type":"string","minLength":2})");
}

TEST_CASE("members of a result that lie deeper are one line of names and units") {
    CHECK(result(R"({"type":"object","required":["rows"],"properties":{
        "mean":{"type":"number","description":"Mean slope [degrees]"},
        "rows":{"type":"array","description":"By zone","items":{"type":"object","properties":{
            "area_m2":{"type":"number","description":"Area [m2]"},
            "maximum":{"type":"number","description":"Depth [m]"},
            "cell_count":{"type":"integer","description":"Number [cells]"},
            "crs":{"type":"object","properties":{"code":{"type":"string","description":"Code"}}},
            "frac":{"type":"array","items":{"type":"object","properties":{"share":{"type":"number","description":"[0 to 1]"}}}}}}},
        "dates":{"type":"array","items":{"type":"string","description":"One"},"description":"Dates"}}})") ==
          R"({"mean":{"type":"number","description":"Mean slope [degrees]"},)"
          R"("rows":{"type":"array","items":{"type":"object"},"description":)"
          R"("By zone {area_m2, maximum [m], cell_count, crs {code}, frac[] {share [0 to 1]}}"},)"
          R"("dates":{"type":"array","items":{"type":"string"},"description":"Dates"}})");
}

TEST_CASE("a result that may be a list or one value is listed as either") {
    CHECK(result(
              R"({"type":"object","properties":{"v":{"anyOf":[{"type":"array","items":{"type":"integer","minimum":1}},)"
              R"({"type":"integer"}],"description":"d"}}})") ==
          R"({"v":{"anyOf":[{"type":"array","items":{"type":"integer"}},{"type":"integer"}],"description":"d"}})");
}

TEST_CASE("members the host adds are not listed with every tool") {
    CHECK(result(R"({"type":"object","properties":{"output":{"type":"object"},"warnings":{"type":"array"},)"
                 R"("checks":{"type":"array"},"mean":{"type":"number"}}})") == R"({"mean":{"type":"number"}})");
}
