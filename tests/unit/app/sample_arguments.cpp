#include "app/authoring/sample_arguments.hpp"

#include <algorithm>

#include "base/schema.hpp"
#include "catch.hpp"

using namespace gdalmcp;
using namespace gdalmcp::app;

namespace {

const sample_datasets built_in;

json::value parsed(const char* text) { return base::parse_json(text).value(); }

// One argument, required.
json::value schema_of(const char* argument) {
    return parsed((std::string{R"({"type":"object","required":["a"],"properties":{"a":)"} + argument + "}}").c_str());
}

std::string usual(const char* argument) {
    return base::write_json(usual_arguments(schema_of(argument), built_in).front().at("a"));
}

// The odd values the schema admits, each as JSON.
std::vector<std::string> odd(const char* argument) {
    const auto schema = schema_of(argument);
    const auto check = base::schema::compile(schema).value();
    std::vector<std::string> all;
    for (const auto& o : odd_arguments(schema, usual_arguments(schema, built_in).front(), built_in))
        if (check.check(json::value(o))) all.push_back(base::write_json(o.at("a")));
    return all;
}

bool has(const std::vector<std::string>& all, const std::string& one) {
    return std::find(all.begin(), all.end(), one) != all.end();
}

}  // namespace

TEST_CASE("a usual value is the default, a choice, an example, or lies in the range") {
    CHECK(usual(R"({"type":"integer","default":7,"minimum":1})") == "7");
    CHECK(usual(R"({"type":"string","enum":["d8","dinf"]})") == "\"d8\"");
    CHECK(usual(R"({"type":"string","examples":["EPSG:3857"]})") == "\"EPSG:3857\"");
    CHECK(usual(R"({"type":"number","minimum":10,"maximum":20})") == "10");
    CHECK(usual(R"({"type":"integer","maximum":-5})") == "-5");
    CHECK(usual(R"({"type":"integer","minimum":3,"multipleOf":4})") == "4");
    CHECK(usual(R"({"type":"array","minItems":2,"items":{"type":"boolean"}})") == "[false,false]");
    CHECK(usual(R"({"type":"string","minLength":6})") == "\"namexx\"");
}

TEST_CASE("a role wins over an example, whose data does not exist here") {
    CHECK(usual(R"({"type":"string","x-gdalmcp":"input-raster","examples":["scene.tif"]})") == "\"dem.asc\"");
    CHECK(usual(R"({"type":"array","x-gdalmcp":"input-vector","items":{"type":"string"}})") ==
          "[\"zones.geojson\",\"zones.geojson\"]");
    CHECK(usual(R"({"anyOf":[{"type":"string"},{"type":"object"}],"x-gdalmcp":"input-vector"})") ==
          "\"zones.geojson\"");
    CHECK(usual(R"({"type":"array","items":{"type":"number"},"x-gdalmcp":"geometry","examples":[[0,0,1,1]]})") ==
          "[13.002,52.002,13.008,52.008]");
}

TEST_CASE("optional arguments are left out first and given one at a time after that; outputs are left out") {
    const auto all = usual_arguments(parsed(R"({"type":"object","required":["a"],"properties":{
        "a":{"type":"integer"},"b":{"type":"boolean"},"c":{"type":"number","default":2},
        "output":{"type":"string","x-gdalmcp":"output-raster"}}})"),
                                     built_in);
    REQUIRE(all.size() == 3);
    CHECK(base::write_json(json::value(all[0])) == R"({"a":1})");
    CHECK(base::write_json(json::value(all[1])) == R"({"a":1,"b":false})");
    CHECK(base::write_json(json::value(all[2])) == R"({"a":1,"c":2})");
}

TEST_CASE("odd values are edge cases of the schema") {
    const auto numbers = odd(R"({"type":"number","minimum":0.5,"exclusiveMaximum":8,"default":1})");
    CHECK(numbers == std::vector<std::string>{"0.5", "7.999999999"});
    const auto integers = odd(R"({"type":"integer","default":1})");
    CHECK((has(integers, "0") && has(integers, "-1") && has(integers, "2147483647")));
    CHECK(odd(R"({"type":"string","enum":["a","b","c"]})") == std::vector<std::string>{"\"b\"", "\"c\""});
    CHECK(odd(R"({"type":"boolean","default":true})") == std::vector<std::string>{"false"});
    const auto texts = odd(R"({"type":"string"})");
    CHECK((has(texts, "\"\"") && has(texts, "\"NaN\"") && has(texts, R"("a\u0000b")") &&
           has(texts, '"' + std::string(5000, 'x') + '"')));
    CHECK_FALSE(has(odd(R"({"type":"string","minLength":1})"), "\"\""));
    const auto lists = odd(R"({"type":"array","items":{"type":"integer"}})");
    CHECK((has(lists, "[]") && has(lists, "[-1]")));
    const auto rasters = odd(R"({"type":"string","x-gdalmcp":"input-raster"})");
    CHECK((has(rasters, "\"nodata.asc\"") && has(rasters, "\"one.asc\"") && has(rasters, "\"missing.tif\"")));
    CHECK(odd(R"({"type":"string","x-gdalmcp":"output-raster"})").empty());
}

TEST_CASE("an input is given every dataset of its kind: one of several bands, of several layers, the author's first") {
    const auto tried = [](const char* role, const sample_datasets& d) {
        std::vector<std::string> all;
        const auto schema = schema_of((std::string{R"({"type":"string","x-gdalmcp":")"} + role + "\"}").c_str());
        for (const auto& o : usual_arguments(schema, d)) all.emplace_back(o.at("a").as_string());
        return all;
    };
    CHECK(tried("input-raster", built_in) == std::vector<std::string>{"dem.asc", "bands.dat"});
    CHECK(tried("input-vector", built_in) ==
          std::vector<std::string>{"zones.geojson", "points.geojson", "lines.geojson", "layers.vrt"});
    const sample_datasets own{{"own/a.tif"}, {"own/b.gpkg", "own/c.gpkg"}};
    CHECK(tried("input-raster", own) == std::vector<std::string>{"own/a.tif"});
    CHECK(tried("input-vector", own) == std::vector<std::string>{"own/b.gpkg", "own/c.gpkg"});
    CHECK(tried("input-any", own) == std::vector<std::string>{"own/a.tif", "own/b.gpkg", "own/c.gpkg"});
    const auto rasters = odd(R"({"type":"string","x-gdalmcp":"input-raster"})");
    CHECK(has(rasters, "\"bands.dat\""));
    CHECK(has(odd(R"({"type":"string","x-gdalmcp":"input-vector"})"), "\"layers.vrt\""));
}

TEST_CASE("members of objects in lists are odd one at a time") {
    const auto all = odd(R"({"type":"array","items":{"type":"object","required":["name"],"properties":{
        "name":{"type":"string","minLength":1},"weight":{"type":"number","minimum":0,"maximum":1}}}})");
    CHECK(has(all, R"([{"name":"name","weight":0}])"));
    CHECK(has(all, R"([{"name":"NaN"}])"));
}
