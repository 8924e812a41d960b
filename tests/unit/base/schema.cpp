#include "base/schema.hpp"
#include "base/schema_lint.hpp"

#include <atomic>
#include <thread>

#include "catch.hpp"

using namespace gdalmcp::base;

namespace {
schema compiled(const std::string& text) { return schema::compile(parse_json(text).value()).value(); }
const char* const reproject =
    R"({"type":"object","additionalProperties":false,"required":["uri","resampling"],"properties":{
  "uri":{"type":"string","description":"Path of the raster"},
  "resampling":{"type":"string","enum":["nearest","bilinear"]},
  "bands":{"type":"array","items":{"type":"integer","minimum":1}},
  "nodata":{"type":"number"},
  "overwrite":{"type":"boolean","default":false},
  "geometry":{"anyOf":[{"type":"object"},{"type":"array","items":{"type":"number"},"minItems":4,"maxItems":4}]}}})";
}  // namespace

TEST_CASE("a violation names the member, its value and what was expected") {
    const auto s = compiled(reproject);
    const auto error = [&](const char* text) { return s.check(parse_json(text).value()).error(); };
    CHECK(s.check(parse_json(R"({"uri":"a.tif","resampling":"nearest"})").value()));
    CHECK(error(R"({"uri":"a.tif","resampling":"bilnear"})").message ==
          R"('/resampling' is "bilnear"; it must be one of "nearest", "bilinear")");
    CHECK(error(R"({"resampling":"nearest"})").message == "the arguments lack the required member 'uri'");
    CHECK(error(R"({"resampling":"nearest"})").hint == "give it: Path of the raster");
    const auto misnamed = error(R"({"url":"a","resampling":"nearest"})");
    CHECK(misnamed.message == "the arguments lack the required member 'uri'");
    CHECK(misnamed.hint == "'url' is unknown; did you mean 'uri'? give 'uri': Path of the raster");
    CHECK(error(R"({"uri":"a","resampling":"nearest","color":1})").message == "the arguments have no member 'color'");
    CHECK(error(R"({"uri":"a","resampling":"nearest","bands":[1,0]})").at == "/bands/1");
    CHECK(error(R"({"uri":7,"resampling":"nearest"})").message == "'/uri' is 7; it must be of type string");
}

TEST_CASE("an item of a list is refused as a member is, the list being one of several alternatives or not") {
    const auto s = compiled(
        R"({"type":"object","properties":{"bands":{"description":"Bands, from 1","anyOf":[
        {"type":"array","items":{"type":"integer","minimum":1}},{"type":"integer","minimum":1}]},
        "percentiles":{"description":"0 to 100","type":"array","items":{"type":"number","maximum":100}}}})");
    const auto error = [&](const char* text) { return s.check(parse_json(text).value()).error(); };
    CHECK(error(R"({"bands":[1,0]})").message == "'/bands/1' is 0; it must be of type integer, at least 1");
    CHECK(error(R"({"bands":[1.5]})").message == "'/bands/0' is 1.5; it must be of type integer, at least 1");
    CHECK(error(R"({"bands":[1.5]})").hint == "Bands, from 1");
    CHECK(error(R"({"percentiles":[101]})").message ==
          "'/percentiles/0' is 101; it must be of type number, at most 100");
    CHECK(error(R"({"percentiles":["x"]})").hint == "0 to 100");
}

TEST_CASE("an object that is one of several alternatives is refused by its members") {
    const auto s = compiled(
        R"({"type":"object","properties":{"layers":{"type":"array","items":{"anyOf":[{"type":"string"},
        {"type":"object","additionalProperties":false,"required":["uri"],"properties":{"uri":{"type":"string"},
        "method":{"type":"string","enum":["quantile","equal_interval"]},"band":{"type":"integer"}}}]}}}})");
    const auto error = [&](const char* text) { return s.check(parse_json(text).value()).error(); };
    CHECK(s.check(parse_json(R"({"layers":["a",{"uri":"b","method":"quantile"}]})").value()));
    const auto unknown = error(R"({"layers":["a",{"uri":"b","metod":"quantile"}]})");
    CHECK(unknown.message == "'/layers/1' has no member 'metod'");
    CHECK(unknown.hint == "did you mean 'method'? known members: uri, method, band");
    CHECK(unknown.at == "/layers/1/metod");
    CHECK(error(R"({"layers":[{"method":"quantile"}]})").message == "'/layers/0' lacks the required member 'uri'");
    const auto value = error(R"({"layers":[{"uri":"b","method":"quantil"}]})");
    CHECK(value.message == R"('/layers/0/method' is "quantil"; it must be one of "quantile", "equal_interval")");
    CHECK(value.hint.find("did you mean 'quantile'?") == 0);
    CHECK(value.at == "/layers/0/method");
    CHECK(error(R"({"layers":[7]})").at == "/layers/0");
}

TEST_CASE("text that stands for an array, object, number or boolean is read as such; strings stay strings") {
    const auto s = compiled(reproject);
    auto v = parse_json(R"({"uri":"[1]","bands":"[1,2]","nodata":"-9999","overwrite":"true","geometry":"[0,0,1,1]"})")
                 .value();
    s.reify(v);
    CHECK(write_json(v) == R"({"uri":"[1]","bands":[1,2],"nodata":-9999,"overwrite":true,"geometry":[0,0,1,1]})");
    auto wrong = parse_json(R"({"bands":"one"})").value();
    s.reify(wrong);
    CHECK(write_json(wrong) == R"({"bands":"one"})");
}

TEST_CASE("text stays text if the schema's enum has it, else it is read as a list") {
    const auto s = compiled(R"({"type":"object","properties":{"bands":{"description":"B","anyOf":[
        {"type":"array","items":{"type":"integer"}},{"type":"string","enum":["all"]}]}}})");
    auto v = parse_json(R"({"bands":"[1,2]"})").value();
    s.reify(v);
    CHECK(write_json(v) == R"({"bands":[1,2]})");
    auto word = parse_json(R"({"bands":"all"})").value();
    s.reify(word);
    CHECK(write_json(word) == R"({"bands":"all"})");
}

TEST_CASE("an enum value matches whatever its case and separators, and by synonym") {
    const auto s = compiled(R"({"type":"object","properties":{
        "method":{"type":"string","enum":["cubic_spline","NONE"],"x-gdalmcp-synonyms":{"un-packed":"NONE"}},
        "many":{"anyOf":[{"type":"array","items":{"type":"string","enum":["Byte"],"x-gdalmcp-synonyms":{"uint8":"Byte"}}},
                         {"type":"string","enum":["Byte"],"x-gdalmcp-synonyms":{"uint8":"Byte"}}]},
        "free":{"anyOf":[{"type":"string","enum":["all"]},{"type":"string"}]},
        "twins":{"type":"string","enum":["a_b","a-b"]}}})");
    const auto read = [&](const char* text) {
        auto v = parse_json(text).value();
        s.reify(v);
        return write_json(v);
    };
    CHECK(read(R"({"method":"Cubic-Spline"})") == R"({"method":"cubic_spline"})");
    CHECK(read(R"({"method":"cubicspline"})") == R"({"method":"cubic_spline"})");
    CHECK(read(R"({"method":"Unpacked"})") == R"({"method":"NONE"})");
    CHECK(read(R"({"method":"nones"})") == R"({"method":"nones"})");
    CHECK(read(R"({"many":["UINT8","byte"]})") == R"({"many":["Byte","Byte"]})");
    CHECK(read(R"({"many":"uint8"})") == R"({"many":"Byte"})");
    CHECK(read(R"({"free":"ALL"})") == R"({"free":"ALL"})");
    CHECK(read(R"({"twins":"A B"})") == R"({"twins":"A B"})");
    CHECK(read(R"({"twins":"a-b"})") == R"({"twins":"a-b"})");
}

TEST_CASE("text stays text where an alternative takes it as it is") {
    for (const char* other : {R"({"const":"5"})", R"({"minLength":1})", R"({"enum":["5"]})"}) {
        INFO(other);
        const auto s = compiled((R"({"type":"object","properties":{"n":{"anyOf":[{"type":"integer","maximum":3},)" +
                                 std::string{other} + "]}}}")
                                    .c_str());
        auto v = parse_json(R"({"n":"5"})").value();
        s.reify(v);
        CHECK(write_json(v) == R"({"n":"5"})");
    }
    const auto s = compiled(R"({"type":"object","properties":{"n":{"anyOf":[{"type":"integer"},{"const":null}]}}})");
    auto v = parse_json(R"({"n":"5"})").value();
    s.reify(v);
    CHECK(write_json(v) == R"({"n":5})");
}

TEST_CASE("one schema serves calls on several threads, the first check included") {
    const auto s =
        compiled(R"({"type":"object","properties":{"a":{"type":"string","pattern":"^[a-z]+$","description":"A"}}})");
    const auto right = parse_json(R"({"a":"x"})").value(), wrong = parse_json(R"({"a":"X"})").value();
    std::atomic<int> as_expected{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&] {
            for (int i = 0; i < 50; ++i) as_expected += s.check(right) && !s.check(wrong);
        });
    for (auto& t : threads) t.join();
    CHECK(as_expected == 200);
}

TEST_CASE("a whole number is an integer, and True is a boolean, also as text") {
    const auto s = compiled(R"({"type":"object","properties":{
        "n":{"type":"integer"},"x":{"type":"number"},"yes":{"type":"boolean"},"many":{"type":"array","items":{"type":"integer"}}}})");
    const auto read = [&](const char* text) {
        auto v = parse_json(text).value();
        s.reify(v);
        return write_json(v);
    };
    for (const char* text : {R"({"n":1.0})", R"({"n":"1"})", R"({"n":"1.0"})"}) {
        auto v = parse_json(text).value();
        s.reify(v);
        CHECK(v.at("n").is_int64());
        CHECK(s.check(v));
    }
    auto list = parse_json(R"({"many":[1.0,2e0]})").value();
    s.reify(list);
    CHECK(list.at("many").at(1).is_int64());
    CHECK(read(R"({"n":1.5})") == R"({"n":1.5})");
    CHECK_FALSE(s.check(parse_json(R"({"n":1.5})").value()));
    CHECK(read(R"({"yes":"True"})") == R"({"yes":true})");
    CHECK(read(R"({"yes":"FALSE"})") == R"({"yes":false})");
    CHECK(read(R"({"yes":"yes"})") == R"({"yes":"yes"})");
    CHECK(read(R"({"x":"-9999.5"})") == R"({"x":-9999.5})");
}

TEST_CASE("an argument with the role of a CRS is spelled as AUTHORITY:CODE") {
    const auto s = compiled(R"({"type":"object","properties":{"dst_crs":{"type":"string","x-gdalmcp":"output-crs"},
        "several":{"type":"array","items":{"type":"string","x-gdalmcp":"crs"}},"name":{"type":"string"}}})");
    auto v = parse_json(R"({"dst_crs":4326,"several":["EPSG 4326","wgs84"],"name":"EPSG 4326"})").value();
    s.reify(v);
    CHECK(write_json(v) == R"({"dst_crs":"EPSG:4326","several":["EPSG:4326","wgs84"],"name":"EPSG 4326"})");
}

TEST_CASE("a refusal lists close values first, synonyms included") {
    const auto s = compiled(R"({"type":"object","additionalProperties":false,"properties":{
        "method":{"type":"string","description":"How.","enum":["nearest","average"],"x-gdalmcp-synonyms":{"mean":"average"}},
        "bands":{"description":"Which.","anyOf":[{"type":"integer"},{"type":"string","enum":["all"]}]}}})");
    const auto hint = [&](const char* text) {
        const auto ok = s.check(parse_json(text).value());
        return ok ? std::string{"accepted"} : ok.error().hint;
    };
    CHECK(hint(R"({"method":"neerest"})") == "did you mean 'nearest'? How.");
    CHECK(hint(R"({"method":"meen"})") == "did you mean 'average'? How.");
    CHECK(hint(R"({"method":"kriging"})") == "How.");
    CHECK(hint(R"({"bands":"al"})") == "did you mean 'all'? Which.");
    CHECK(hint(R"({"methd":"nearest"})") == "did you mean 'method'? known members: method, bands");
}

TEST_CASE("defaults fill what is missing and nothing else") {
    const auto s = compiled(reproject);
    auto v = parse_json(R"({"uri":"a"})").value();
    s.fill_defaults(v);
    CHECK(write_json(v) == R"({"uri":"a","overwrite":false})");
}

TEST_CASE("a number with a fraction is not a multiple of an integer") {
    for (const char* number : {R"({"type":"number","multipleOf":16})", R"({"anyOf":[{"multipleOf":16}]})"}) {
        INFO(number);
        const auto s = compiled((R"({"type":"object","properties":{"n":)" + std::string{number} + "}}").c_str());
        CHECK(s.check(parse_json(R"({"n":32})").value()));
        CHECK(s.check(parse_json(R"({"n":1e300})").value()));
        CHECK_FALSE(s.check(parse_json(R"({"n":32.7})").value()));
    }
}

TEST_CASE("a default that is an object is filled in turn") {
    const auto s = compiled(R"({"type":"object","properties":{"mask":{"type":"object","default":{},"properties":{
        "invert":{"type":"boolean","default":false}}}}})");
    auto v = parse_json("{}").value();
    s.fill_defaults(v);
    CHECK(write_json(v) == R"({"mask":{"invert":false}})");
}

TEST_CASE("null for an optional member leaves it out; a required one must have a value") {
    const auto s = compiled(R"({"type":"object","required":["uri"],"properties":{
        "uri":{"type":"string"},"output":{"type":"string"},"band":{"type":"integer","default":1},
        "where":{"type":"object","properties":{"level":{"type":"integer"}}},"free":{"type":"object"}}})");
    auto v = parse_json(R"({"uri":"a","output":null,"band":null,"where":{"level":null},"free":{"x":null}})").value();
    s.reify(v);
    s.fill_defaults(v);
    CHECK(write_json(v) == R"({"uri":"a","where":{},"free":{"x":null},"band":1})");
    CHECK(s.check(v));
    auto lacking = parse_json(R"({"uri":null})").value();
    s.reify(lacking);
    CHECK(s.check(lacking).error().at == "/uri");
}

TEST_CASE("schemas that real clients reject are refused") {
    for (const char* text :
         {R"({"type":"array"})", R"({"type":"object","anyOf":[]})", R"({"type":"object","$schema":"x"})",
          R"({"type":"object","properties":{"a":{"$ref":"#/x"}}})", R"({"type":"object","properties":{"a":true}})",
          R"({"type":"object","properties":{"a":{"type":["string","null"]}}})",
          R"({"type":"object","properties":{"a":{"type":"array","items":[{"type":"string"}]}}})",
          R"({"type":"object","properties":{"a":{"multipleOf":0}}})",
          R"({"type":"object","properties":{"a":{"pattern":"(a)\\1"}}})",
          R"({"type":"object","properties":{"a":{"pattern":"("}}})",
          R"({"type":"object","properties":{"a":{"anyOf":[{"pattern":"^a$"}]}}})",
          R"({"type":"object","properties":{"a":{"multipleOf":"2"}}})", R"({"type":"object","if":{}})"}) {
        INFO(text);
        CHECK_FALSE(schema::compile(parse_json(text).value()));
    }
}

TEST_CASE("patterns match texts of any length, in linear time") {
    const std::string letters(200'000, 'a');
    for (const char* pattern : {"^[a-z]+$", "^((a|b)|([a-z]+))*$", "(a*)*$"}) {
        INFO(pattern);
        const auto s =
            compiled(R"({"type":"object","properties":{"a":{"pattern":")" + std::string{pattern} + R"("}}})");
        CHECK(s.check(json::object{{"a", letters}}));
    }
    const auto hard = compiled(R"({"type":"object","properties":{"a":{"pattern":"(a*)*b"}}})");
    CHECK(hard.check(json::object{{"a", letters}}).error().at == "/a");
}

TEST_CASE("patterns are found in lists, in members without a name, and in members called pattern") {
    const auto s = compiled(R"({"type":"object",
        "properties":{"list":{"type":"array","items":{"type":"string","pattern":"^a"}},"pattern":{"type":"string"},
                      "both":{"allOf":[{"pattern":"^a"},{"pattern":"b$"}]}},
        "additionalProperties":{"type":"string","pattern":"^x"}})");
    CHECK(s.check(json::object{{"list", {"a", "ab"}}, {"pattern", "b"}, {"both", "ab"}, {"other", "xy"}}));
    CHECK(s.check(json::object{{"list", {"a", "b"}}}).error().at == "/list/1");
    CHECK(s.check(json::object{{"both", "a"}}).error().at == "/both");
    const auto other = s.check(json::object{{"other", "y"}}).error();
    CHECK(other.at == "/other");
    CHECK(other.message == R"('/other' is "y"; it must be of type string, matching "^x")");
}

// One row per keyword: a schema for member "v", a value that passes, a value that fails.
TEST_CASE("every accepted keyword is really enforced") {
    struct row {
        const char *keyword, *schema, *good, *bad;
    };
    const row rows[] = {
        {"type", R"({"type":"integer"})", "1", "1.5"},
        {"properties", R"({"type":"object","properties":{"a":{"type":"string"}}})", R"({"a":"x"})", R"({"a":1})"},
        {"required", R"({"type":"object","required":["a"]})", R"({"a":1})", "{}"},
        {"additionalProperties", R"({"type":"object","properties":{},"additionalProperties":false})", "{}",
         R"({"z":1})"},
        {"items", R"({"type":"array","items":{"type":"string"}})", R"(["a"])", "[1]"},
        {"minItems", R"({"type":"array","minItems":2})", "[1,2]", "[1]"},
        {"maxItems", R"({"type":"array","maxItems":1})", "[1]", "[1,2]"},
        {"uniqueItems", R"({"type":"array","uniqueItems":true})", "[1,2]", "[1,1]"},
        {"enum", R"({"enum":["a","b"]})", R"("a")", R"("c")"},
        {"const", R"({"const":3})", "3", "4"},
        {"minimum", R"({"type":"number","minimum":0})", "0", "-0.1"},
        {"maximum", R"({"type":"number","maximum":1})", "1", "1.1"},
        {"exclusiveMinimum", R"({"type":"number","exclusiveMinimum":0})", "0.1", "0"},
        {"exclusiveMaximum", R"({"type":"number","exclusiveMaximum":1})", "0.9", "1"},
        {"multipleOf", R"({"type":"integer","multipleOf":16})", "32", "33"},
        {"minLength", R"({"type":"string","minLength":1})", R"("a")", R"("")"},
        {"maxLength", R"({"type":"string","maxLength":1})", R"("a")", R"("ab")"},
        {"pattern", R"({"type":"string","pattern":"^a+$"})", R"("aa")", R"("b")"},
        {"anyOf", R"({"anyOf":[{"type":"string"},{"type":"integer"}]})", "1", "1.5"},
        {"oneOf", R"({"oneOf":[{"type":"number"},{"type":"integer"}]})", "1.5", "1"},
        {"allOf", R"({"allOf":[{"minimum":1},{"maximum":2}]})", "2", "3"},
        {"minProperties", R"({"type":"object","minProperties":1})", R"({"a":1})", "{}"},
        {"maxProperties", R"({"type":"object","maxProperties":0})", "{}", R"({"a":1})"},
    };
    for (auto keyword : accepted_keywords()) {
        INFO(keyword);
        const auto* r =
            std::find_if(std::begin(rows), std::end(rows), [&](const row& x) { return x.keyword == keyword; });
        REQUIRE(r != std::end(rows));
        const auto s = compiled((R"({"type":"object","properties":{"v":)" + std::string{r->schema} + "}}").c_str());
        CHECK(s.check(parse_json(R"({"v":)" + std::string{r->good} + "}").value()));
        CHECK_FALSE(s.check(parse_json(R"({"v":)" + std::string{r->bad} + "}").value()));
    }
}

TEST_CASE("a whole number beyond 63 bits is a number") {
    const auto s = compiled(reproject);
    const auto check = [&](const char* nodata) {
        return s.check(
            parse_json(std::string{R"({"uri":"a.tif","resampling":"nearest","nodata":)"} + nodata + "}").value());
    };
    CHECK(check("18442240474082181000"));
    CHECK(check("-9999"));
    CHECK_FALSE(check("\"9\""));
}
