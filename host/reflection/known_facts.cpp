#include "reflection/known_facts.hpp"

#include <initializer_list>

namespace gdalmcp::reflection {
namespace {

namespace json = boost::json;

using members = std::initializer_list<std::pair<std::string_view, json::value>>;

json::value of_type(const char* type) { return json::object{{"type", type}}; }
json::value text() { return of_type("string"); }
json::value number() { return of_type("number"); }
json::value yes_or_no() { return of_type("boolean"); }
json::value list(json::value of) { return json::object{{"type", "array"}, {"items", std::move(of)}}; }
json::value numbers(int count) {
    return json::object{{"type", "array"}, {"items", number()}, {"minItems", count}, {"maxItems", count}};
}
json::value one_of(std::initializer_list<const char*> words) {
    return json::object{{"type", "string"}, {"enum", json::array(words.begin(), words.end())}};
}
json::value object(members of) {
    json::object properties;
    for (const auto& [name, schema] : of) properties[name] = schema;
    return json::object{{"type", "object"}, {"properties", std::move(properties)}, {"additionalProperties", false}};
}
json::value texts(std::initializer_list<std::string_view> names) {
    json::object properties;
    for (const auto name : names) properties[name] = text();
    return json::object{{"type", "object"}, {"properties", std::move(properties)}, {"additionalProperties", false}};
}

json::value facts() {
    const auto any = of_type("object");
    const auto tool_and_method = texts({"tool", "method"}), for_display = texts({"tool", "choice", "ref"});
    const auto kind =
        one_of({"class", "qa_bits", "continuous", "count", "ratio", "angle", "elevation", "imagery", "unknown"});
    const auto band = object({{"dtype", text()},
                              {"palette", yes_or_no()},
                              {"unit", text()},
                              {"name", text()},
                              {"color_interpretation", text()},
                              {"kind", kind},
                              {"may_be_codes", yes_or_no()},
                              {"kind_certain", yes_or_no()},
                              {"kind_why", text()},
                              {"nodata", json::object{}},  // a number, or nan, inf or -inf as text
                              {"nodata_share", number()},
                              {"nodata_suspected", object({{"value", number()}, {"share", number()}})}});
    const auto crs = object(
        {{"normal", text()},
         {"code", text()},
         {"name", text()},
         {"kind", one_of({"none", "geographic", "projected", "compound", "geocentric", "local", "vertical", "other"})},
         {"geographic", yes_or_no()},
         {"unit", text()},
         {"unit_m", number()},
         {"vertical", text()},
         {"area_of_use", numbers(4)}});
    const auto layer = object({{"name", text()},
                               {"geometry_type", text()},
                               {"dimension", number()},
                               {"features", number()},
                               {"crs", crs},
                               {"fields", list(text())}});
    const auto made_by = object({{"tool", text()},
                                 {"kind", kind},
                                 {"reasons", any},
                                 {"tools", list(text())},
                                 {"for_display", for_display},
                                 {"for_preview", texts({"tool", "ref"})},
                                 {"accepted", texts({"tool", "conflicts"})},
                                 {"regridded", tool_and_method},
                                 {"resampled", tool_and_method},
                                 {"exploratory", texts({"tool"})}});
    const auto input =
        object({{"path", text()},
                {"pointer", text()},
                {"place", text()},
                {"subdataset", text()},
                {"subdatasets", list(text())},
                {"kind_of_dataset", one_of({"raster", "vector"})},
                {"driver", text()},
                {"bounds", numbers(4)},
                {"bounds_wgs84", numbers(4)},
                {"crs", crs},
                {"misplaced", text()},
                {"width", number()},
                {"height", number()},
                {"pixel_size", numbers(2)},
                {"cell_m", numbers(2)},
                {"kind", kind},
                {"kind_certain", yes_or_no()},
                {"kind_why", text()},
                {"may_be_codes", yes_or_no()},
                {"unit", text()},
                {"nodata_suspected", object({{"value", number()}, {"share", number()}, {"path", text()}})},
                {"surface", one_of({"dtm", "dsm", "unknown"})},
                {"surface_why", text()},
                {"bands", list(band)},
                {"features", number()},
                {"dimension", number()},
                {"layers", list(layer)},
                {"made_by", made_by},
                {"sha256", text()},
                {"partial_sha256", text()}});
    auto for_display_of = for_display;
    for_display_of.at("properties").as_object()["path"] = text();
    return object({{"input", input},
                   {"inputs", list(input)},
                   {"made_for_display", list(for_display_of)},
                   {"choice", object({{"normal", text()},
                                      {"geographic", yes_or_no()},
                                      {"coverage", one_of({"inside", "partly", "outside"})}})},
                   {"grid", object({{"coincides", yes_or_no()},
                                    {"ratio", number()},
                                    {"direction", one_of({"up", "same", "down"})},
                                    {"ratio_class", one_of({"1", "4", "16", "64+"})},
                                    {"inputs_ratio", number()},
                                    {"inputs_coincide", yes_or_no()}})},
                   {"extent", object({{"covers_input", yes_or_no()}})},
                   {"nodata", object({{"stood_for_missing", yes_or_no()}})},
                   {"evidence", any}});
}

}  // namespace

const json::value& known_facts() {
    static const json::value all = facts();
    return all;
}

}  // namespace gdalmcp::reflection
