// A tool with every kind of argument and result, and one for every way to fail.
#include <gdalmcp/tool.hpp>

#include <fstream>
#include <stdexcept>

namespace {

using gdalmcp::arg;
using gdalmcp::field;

const arg<bool> yes{.name = "yes", .about = "A flag.", .fallback = true};
const arg<std::int64_t> whole{.name = "whole", .about = "An integer.", .unit = "cells", .min = 0, .max = 9.1e15};
const arg<double> real{.name = "real",
                       .about = "A number.",
                       .unit = "m",
                       .fallback = 0.5,
                       .above = 0.0,
                       .below = 1e9,
                       .examples = {"2.5", "30"}};
const arg<std::string> word{.name = "word", .about = "Text.", .min_length = 0, .max_length = 40, .pattern = "^[^;]*$"};
const arg<gdalmcp::choice> pick{
    .name = "pick", .about = "One of two.", .fallback = gdalmcp::choice{"left"}, .values = {"left", "right"}};
const arg<gdalmcp::crs> system{.name = "system", .about = "A CRS.", .examples = {"\"EPSG:3857\""}};
const arg<gdalmcp::geometry> area{.name = "area", .about = "A geometry."};
const arg<gdalmcp::json_text> object{.name = "object", .about = "Any object."};
const arg<gdalmcp::bands> bands{.name = "bands", .about = "Bands.", .fallback = gdalmcp::bands{}};
const arg<std::vector<double>> numbers{.name = "numbers", .about = "Numbers.", .max_items = 9};
const arg<std::vector<std::string>> words{.name = "words", .about = "Texts.", .max_length = 9};
const arg<std::optional<std::int64_t>> maybe{.name = "maybe", .about = "Perhaps an integer."};
const arg<std::int64_t> left{.name = "left", .about = "First column.", .unit = "cells", .fallback = 0, .min = 0};
const arg<std::optional<double>> scale{.name = "scale", .about = "Metres per cell.", .unit = "m", .above = 0};
const gdalmcp::object window{"window", "The part to read.", {left, scale}};
const arg<std::string> label{.name = "label", .about = "A class's name."};
const arg<double> from{.name = "from", .about = "Lowest value of a class.", .fallback = 0.0};
const gdalmcp::objects classes = gdalmcp::objects{"classes", "The classes.", {label, from}, 1, 9}.optional();
const gdalmcp::object place = gdalmcp::object{"place", "Where.", {label}}.optional();

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
const field<std::vector<std::int64_t>> out_bands{"bands", "The bands of a raster with 3."};
const field<std::int64_t> out_left{"left", "As given in the window.", "cells"};
const field<bool> out_scale{"scale", "Whether it was given."};
const field<std::string> out_place{"place", "Its label, empty when it was not given."};
const field<std::string> out_label{"label", "As given."};
const field<double> out_from{"from", "As given."};
const gdalmcp::table out_classes{"classes", "As given.", {out_label, out_from}};
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
    const auto chosen = call[bands].of(3);
    call.put(out_bands, {chosen.begin(), chosen.end()});
    call.put(out_left, call[window][left]);
    call.put(out_scale, call[window].given(scale));
    call.put(out_place, call.given(place) ? call[place][label] : "");
    call.begin(out_classes);
    for (const auto& one : call[classes]) {
        auto row = call.add(out_classes);
        row.put(out_label, one[label]);
        row.put(out_from, one[from]);
    }
    for (std::int64_t i = 0; i < 3; ++i) call.add(rows).put(column, i);
    call.begin(none);
    call.at(inner).put(column, 7);
    call.progress(0.5, "half");
    call.say("every kind");
    call.warn("a warning");
    call.attach_text("text/plain", "a text");
    call.attach_image("image/png", "\x89PNG\r\n\x1a\n");
    call.attach_link("https://example.org/legend", "Legend", "What the classes mean.", "text/html");
    call.attach_audio("audio/wav", "RIFF");
    call.attach_resource("acme://legend", "application/geo+json", "{}");
    call.attach_resource("acme://palette", "application/octet-stream", std::string_view{"\0\xff", 2});
    call.takes_long();
}

const gdalmcp::tool every_kind{
    {.name = "every_kind", .title = "Every kind", .about = "Gives back what it got.", .behaviour = GDALMCP_READ_ONLY},
    run,
    {yes, whole, real, word, pick, system, area, object, bands, numbers, words, maybe, window, classes, place},
    {out_yes,  out_whole,   out_real,   out_nan,     out_word,  out_pick,  out_system,
     out_box,  out_geojson, out_object, out_numbers, out_words, out_maybe, out_bands,
     out_left, out_scale,   out_place,  out_classes, rows,      none,      inner}};

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

// The datasets: one, many and none of each kind. The host gives paths; the tool says which it got.
const arg<gdalmcp::raster> dem{.name = "dem", .about = "A raster."};
const arg<std::vector<gdalmcp::raster>> scenes{.name = "scenes", .about = "Rasters.", .min_items = 1};
const arg<std::optional<gdalmcp::vector>> zones{.name = "zones", .about = "Perhaps a vector dataset."};
const arg<std::optional<std::vector<gdalmcp::dataset>>> others{.name = "others", .about = "Perhaps datasets."};
const arg<gdalmcp::output_dataset> output{.name = "output", .about = "What to write. Default: a managed result."};
const field<std::vector<std::string>> paths{"paths", "All paths, in the order of the arguments."};

void list_paths(gdalmcp::call& call) {
    std::vector<std::string> all{call[dem].path};
    for (const auto& s : call[scenes]) all.push_back(s.path);
    if (const auto z = call[zones]) all.push_back(z->path);
    if (const auto o = call[others])
        for (const auto& d : *o) all.push_back(d.path);
    all.push_back(call[output].path);
    call.put(paths, all);
}

const gdalmcp::tool every_dataset{{.name = "every_dataset", .title = "Every dataset", .about = "Lists what it got."},
                                  list_paths,
                                  {dem, scenes, zones, others, output},
                                  {paths}};

// Everything a client can be asked, one after the other.
using gdalmcp::form;
const field<std::string> said{"said", "What was answered."};

void ask(gdalmcp::call& call) {
    const auto person = call.ask("person", form{"Who are you?"}
                                               .text("name", "Your \"name\".")
                                               .with("maxLength", "40")
                                               .integer("age")
                                               .fallback(30)
                                               .number("height")
                                               .fallback(1.75)
                                               .flag("sure")
                                               .fallback(true)
                                               .choice("side", {"left", "right"})
                                               .fallback("left")
                                               .choice("rule", {{"r", "Rook"}, {"q", "Queen"}})
                                               .optional()
                                               .choices("bands", {"red", "green"})
                                               .choices("classes", {{"w", "Water"}, {"f", "Forest"}})
                                               .optional());
    if (!person) return;
    if (person->text("name") == "nobody") return call.ask_again("person", form{"And really?"}.text("name"));
    if (!call.kept("/greeted")) call.keep(R"({"greeted":"yes"})");
    std::string all = person->text("name") + (person->flag("sure") ? " surely" : "");
    if (person->given("age")) all += " " + std::to_string(person->integer("age"));
    if (person->given("height")) all += " " + gdalmcp::detail::number(person->number("height"));
    for (const auto& band : person->texts("bands")) all += " " + band;
    if (call.can_ask("sampling")) {
        const auto model = call.ask_model("word", "Say \"hello\".", 10);
        const auto roots = call.ask_roots("roots");
        if (!model || !roots) return;
        all += " " + *model;
        for (const auto& r : *roots) all += " " + r.name + "=" + r.uri;
    }
    call.put(said, all + " " + call.kept("/greeted").value_or("never"));
}

// Writes before it asks whether to.
const arg<gdalmcp::output_table> report{.name = "report", .about = "What to write. Default: a managed result."};

void write_and_ask(gdalmcp::call& call) {
    std::ofstream{call[report].path} << "number,label\n1,one\n";
    const auto sure = call.ask("sure", form{"Really?"}.flag("sure"));
    if (sure && !sure->flag("sure")) throw gdalmcp::error{GDALMCP_DENIED, "nothing was to be written"};
}

const gdalmcp::tool writes_and_asks{
    {.name = "writes_and_asks", .title = "Writes and asks", .about = "Writes a table, and asks whether to."},
    write_and_ask,
    {report},
    {}};

const gdalmcp::tool every_question{
    {.name = "every_question", .title = "Every question", .about = "Asks.", .behaviour = GDALMCP_TASK_ONLY},
    ask,
    {},
    {said}};

}  // namespace

GDALMCP_PLUGIN("org.gdal-mcp.test.every-kind", "1.0.0", "MIT", every_kind.abi(), every_failure.abi(),
               every_dataset.abi(), every_question.abi(), writes_and_asks.abi())
