// A tool with every kind of argument and result, and one for every way to fail.
#include <gdalmcp/tool.hpp>

#include <stdexcept>

namespace {

using gdalmcp::arg;
using gdalmcp::field;

const arg<bool> yes{.name = "yes", .about = "A flag.", .fallback = true};
const arg<std::int64_t> whole{.name = "whole", .about = "An integer.", .unit = "cells", .min = 0, .max = 9.1e15};
const arg<double> real{.name = "real", .about = "A number.", .fallback = 0.5, .above = 0.0};
const arg<std::string> word{.name = "word", .about = "Text."};
const arg<gdalmcp::choice> pick{
    .name = "pick", .about = "One of two.", .fallback = gdalmcp::choice{"left"}, .values = {"left", "right"}};
const arg<gdalmcp::crs> system{.name = "system", .about = "A CRS."};
const arg<gdalmcp::geometry> area{.name = "area", .about = "A geometry."};
const arg<gdalmcp::json_text> object{.name = "object", .about = "Any object."};
const arg<std::vector<double>> numbers{.name = "numbers", .about = "Numbers.", .max_items = 9};
const arg<std::vector<std::string>> words{.name = "words", .about = "Texts."};
const arg<std::optional<std::int64_t>> maybe{.name = "maybe", .about = "Perhaps an integer."};

const field<bool> out_yes{"yes", "As given."};
const field<std::int64_t> out_whole{"whole", "As given.", "cells"};
const field<double> out_real{"real", "As given."};
const field<double> out_nan = field<double>{"nan", "Never there."}.optional();
const field<std::string> out_word{"word", "As given."}, out_pick{"pick", "As given."},
    out_system{"system", "As given."};
const field<std::vector<double>> out_box{"box", "The box, empty for GeoJSON."};
const field<std::string> out_geojson{"geojson", "The GeoJSON text, empty for a box."};
const field<gdalmcp::json_text> out_object{"object", "As given."};
const field<std::vector<double>> out_numbers{"numbers", "As given."};
const field<std::vector<std::string>> out_words{"words", "As given."};
const field<bool> out_maybe{"maybe", "Whether it was given."};
const field<std::int64_t> column{"column", "A number."};
const gdalmcp::table rows{"rows", "Rows.", {column}}, none{"none", "No rows.", {column}};
const gdalmcp::record inner{"inner", "A record.", {column}};

void run(gdalmcp::call& call) {
    call.put(out_yes, call[yes]);
    call.put(out_whole, call[whole]);
    call.put(out_real, call[real]);
    call.put(out_nan, 0.0 / call[real] * 0.0 / 0.0);
    call.put(out_word, call[word]);
    call.put(out_pick, call[pick].value);
    call.put(out_system, call[system].text);
    const auto g = call[area];
    call.put(out_box, g.bbox ? std::vector<double>{g.bbox->begin(), g.bbox->end()} : std::vector<double>{});
    call.put(out_geojson, g.geojson);
    call.put(out_object, call[object]);
    call.put(out_numbers, call[numbers]);
    call.put(out_words, call[words]);
    call.put(out_maybe, call[maybe].has_value());
    for (std::int64_t i = 0; i < 3; ++i) call.add(rows).put(column, i);
    call.begin(none);
    call.at(inner).put(column, 7);
    call.progress(0.5, "half");
    call.say("every kind");
    call.warn("a warning");
}

const gdalmcp::tool every_kind{
    {.name = "every_kind", .title = "Every kind", .about = "Gives back what it got.", .behaviour = GDALMCP_READ_ONLY},
    run,
    {yes, whole, real, word, pick, system, area, object, numbers, words, maybe},
    {out_yes, out_whole, out_real, out_nan, out_word, out_pick, out_system, out_box, out_geojson, out_object,
     out_numbers, out_words, out_maybe, rows, none, inner}};

const arg<gdalmcp::choice> how{
    .name = "how", .about = "What to throw.", .values = {"error", "exception", "number", "memory", "cancelled"}};

void fail(gdalmcp::call& call) {
    const auto what = call[how].value;
    if (what == "error") throw gdalmcp::error{GDALMCP_NOT_FOUND, "there is no band 9", "bands: 1, 2"};
    if (what == "exception") throw std::runtime_error{"a defect"};
    if (what == "memory") throw std::bad_alloc{};
    if (what == "cancelled") throw gdalmcp::cancelled{};
    throw 42;
}

const gdalmcp::tool every_failure{
    {.name = "every_failure", .title = nullptr, .about = "Fails as told.", .behaviour = GDALMCP_READ_ONLY},
    fail,
    {how},
    {}};

}  // namespace

GDALMCP_PLUGIN("org.gdal-mcp.test.every-kind", "1.0.0", "MIT", every_kind.abi(), every_failure.abi())
