#include "reflection/known_facts.hpp"

#include <initializer_list>

namespace gdalmcp::reflection {
namespace {

namespace json = boost::json;

using members = std::initializer_list<std::pair<std::string_view, json::value>>;

json::value object(members of) {
    json::object properties;
    for (const auto& [name, schema] : of) properties[name] = schema;
    return json::object{{"type", "object"}, {"properties", std::move(properties)}, {"additionalProperties", false}};
}
json::value texts(std::initializer_list<std::string_view> names) {
    json::object properties;
    for (const auto name : names) properties[name] = json::object{{"type", "string"}};
    return json::object{{"type", "object"}, {"properties", std::move(properties)}, {"additionalProperties", false}};
}
json::value list(json::value of) { return json::object{{"type", "array"}, {"items", std::move(of)}}; }

json::value facts() {
    const json::value one = json::object{{"type", "string"}};  // or a number or truth value: pointers end there
    const json::value any = json::object{{"type", "object"}};
    const auto tool_and_method = texts({"tool", "method"}), for_display = texts({"tool", "choice", "ref"});
    const auto band = object({{"dtype", one},
                              {"palette", one},
                              {"unit", one},
                              {"name", one},
                              {"color_interpretation", one},
                              {"kind", one},
                              {"may_be_codes", one},
                              {"kind_certain", one},
                              {"kind_why", one},
                              {"nodata", one},
                              {"nodata_share", one},
                              {"nodata_suspected", texts({"value", "share"})}});
    const auto input = object({{"path", one},
                               {"pointer", one},
                               {"place", one},
                               {"subdataset", one},
                               {"subdatasets", list(one)},
                               {"kind_of_dataset", one},
                               {"driver", one},
                               {"bounds", list(one)},
                               {"bounds_wgs84", list(one)},
                               {"crs", object({{"normal", one},
                                               {"code", one},
                                               {"name", one},
                                               {"kind", one},
                                               {"geographic", one},
                                               {"unit", one},
                                               {"unit_m", one},
                                               {"vertical", one},
                                               {"area_of_use", list(one)}})},
                               {"misplaced", one},
                               {"width", one},
                               {"height", one},
                               {"pixel_size", list(one)},
                               {"cell_m", list(one)},
                               {"kind", one},
                               {"kind_certain", one},
                               {"kind_why", one},
                               {"may_be_codes", one},
                               {"unit", one},
                               {"nodata_suspected", texts({"value", "share", "path"})},
                               {"surface", one},
                               {"surface_why", one},
                               {"bands", list(band)},
                               {"features", one},
                               {"dimension", one},
                               {"layers", list(object({{"name", one},
                                                       {"geometry_type", one},
                                                       {"dimension", one},
                                                       {"features", one},
                                                       {"crs", one},
                                                       {"fields", list(one)}}))},
                               {"made_by", object({{"tool", one},
                                                   {"kind", one},
                                                   {"reasons", any},
                                                   {"tools", list(one)},
                                                   {"for_display", for_display},
                                                   {"for_preview", texts({"tool", "ref"})},
                                                   {"accepted", texts({"tool", "conflicts"})},
                                                   {"regridded", tool_and_method},
                                                   {"resampled", tool_and_method},
                                                   {"exploratory", texts({"tool"})}})},
                               {"sha256", one},
                               {"partial_sha256", one}});
    auto for_display_of = for_display;
    for_display_of.at("properties").as_object()["path"] = one;
    return object(
        {{"input", input},
         {"inputs", list(input)},
         {"made_for_display", list(for_display_of)},
         {"choice", texts({"normal", "geographic", "coverage"})},
         {"grid", texts({"coincides", "ratio", "direction", "ratio_class", "inputs_ratio", "inputs_coincide"})},
         {"extent", texts({"covers_input"})},
         {"nodata", texts({"stood_for_missing"})},
         {"evidence", any}});
}

}  // namespace

const json::value& known_facts() {
    static const json::value all = facts();
    return all;
}

}  // namespace gdalmcp::reflection
