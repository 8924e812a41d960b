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

TEST_CASE("a number that is missing in a result may have been NaN, and its author is told so") {
    const auto missing = refusal_of(R"({"n":0})");
    CHECK_THAT(missing.message, ContainsSubstring("its members lack the required member 'v'; numbers that are NaN or "
                                                  "infinite are left out of a result"));
    CHECK_THAT(missing.hint, ContainsSubstring(".optional()"));
    CHECK_THAT(refusal_of(R"({"v":1})").message, ContainsSubstring("'n'") && !ContainsSubstring("NaN"));
    CHECK_THAT(refusal_of(R"({"v":"x","n":0})").message, !ContainsSubstring("NaN"));
}
