#include "app/call/tool_answer.hpp"

#include "catch.hpp"

using namespace gdalmcp;
namespace json = boost::json;
using Catch::Matchers::ContainsSubstring;

namespace {
base::problem refusal_of(const char* result) {
    const auto text = base::parse_json(R"({"name":"acme_mean","title":"Mean","description":"The mean of a raster.",
        "input_schema":{"type":"object","additionalProperties":false,"properties":{}},
        "output_schema":{"type":"object","required":["v","n"],"properties":{
            "v":{"type":"number","description":"Mean"},"n":{"type":"integer","description":"Cells"}}}})");
    const auto t = catalog::tool::read(*text, nullptr).value();
    return app::structured_result(*t, {{"result", base::parse_json(result).value()}}, {}, {}, {}).error();
}
}  // namespace

TEST_CASE("the host fills in the URI of the output where a result asks for it, of a file as a file URI") {
    const auto text = base::parse_json(R"({"name":"acme_copy","title":"Copy","description":"Copies a raster.",
        "input_schema":{"type":"object","additionalProperties":false,"properties":{
            "output":{"type":"string","description":"File","x-gdalmcp":"output-raster"}}},
        "output_schema":{"type":"object","properties":{
            "copy_uri":{"type":"string","description":"The copy","x-gdalmcp":"uri-of-output"}}}})");
    const auto t = catalog::tool::read(*text, nullptr).value();
    const auto uri_of = [&](const char* output) {
        const json::array outputs{base::parse_json(output).value()};
        const json::object done{{"result", json::object{}}};
        return app::structured_result(*t, done, outputs, {}, {}).value().at("copy_uri");
    };
    CHECK(uri_of(R"({"uri":"query://result/a1","driver":"GTiff","size_bytes":1})") == "query://result/a1");
    CHECK(uri_of(R"({"uri":"/w/a b.tif","path":"/w/a b.tif","driver":"GTiff","size_bytes":1})") ==
          "file:///w/a%20b.tif");
}

TEST_CASE("a number that is missing in a result may have been NaN, and its author is told so") {
    const auto missing = refusal_of(R"({"n":0})");
    CHECK_THAT(missing.message, ContainsSubstring("its members lack the required member 'v'; numbers that are NaN or "
                                                  "infinite are left out of a result"));
    CHECK_THAT(missing.hint, ContainsSubstring(".optional()"));
    CHECK_THAT(refusal_of(R"({"v":1})").message, ContainsSubstring("'n'") && !ContainsSubstring("NaN"));
    CHECK_THAT(refusal_of(R"({"v":"x","n":0})").message, !ContainsSubstring("NaN"));
}
