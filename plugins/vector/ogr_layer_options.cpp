#include "ogr_layer_options.hpp"

#include <cpl_minixml.h>

#include <algorithm>
#include <map>
#include <memory>

namespace gdalmcp_vector {

namespace {

using gdalmcp::error;

struct by_name {
    bool operator()(const std::string& a, const std::string& b) const { return STRCASECMP(a.c_str(), b.c_str()) < 0; }
};
// Values that an option may have; empty: any.
using option_values = std::map<std::string, std::vector<std::string>, by_name>;

option_values options_in(GDALDriver& driver, const char* list) {
    option_values all;
    const char* text = driver.GetMetadataItem(list);
    const std::unique_ptr<CPLXMLNode, decltype(&CPLDestroyXMLNode)> tree{text ? CPLParseXMLString(text) : nullptr,
                                                                         &CPLDestroyXMLNode};
    for (const auto* o = tree ? tree->psChild : nullptr; o; o = o->psNext) {
        if (o->eType != CXT_Element || !EQUAL(o->pszValue, "Option")) continue;
        const std::string scope = CPLGetXMLValue(o, "scope", "vector");
        if (scope.find("vector") == std::string::npos) continue;
        auto& values = all[CPLGetXMLValue(o, "name", "")];
        if (EQUAL(CPLGetXMLValue(o, "type", ""), "boolean")) values = {"YES", "NO", "TRUE", "FALSE", "ON", "OFF"};
        for (const auto* v = o->psChild; v; v = v->psNext)
            if (v->eType == CXT_Element && EQUAL(v->pszValue, "Value"))
                values.emplace_back(CPLGetXMLValue(v, nullptr, ""));
    }
    return all;
}

// Options that would lose or relabel data behind the tool's back, or name files.
const char* refused(const std::string& name) {
    static const std::map<std::string, const char*, by_name> all{
        {"ENCODING", "text is written in UTF-8"},
        {"SHPT", "the type follows the geometries"},
        {"RFC7946", "GeoJSON is always written by RFC 7946"},
        {"OVERWRITE", "use 'overwrite'"},
        {"APPEND_SUBDATASET", "a dataset is written whole"},
        {"GEOMETRY", "geometries are written as WKT, which holds each kind"},
        {"GEOM_TYPE", "the type follows the geometries"},
        {"TEMPORARY_DIR", "it names a folder of its own"},
        {"NATIVE_DATA", "it brings in something other than the layer"},
        {"NATIVE_MEDIA_TYPE", "it brings in something other than the layer"}};
    const auto found = all.find(name);
    return found == all.end() ? nullptr : found->second;
}

std::string list_of(const option_values& a, const option_values& b) {
    std::string text;
    for (const auto* all : {&a, &b})
        for (const auto& [name, values] : *all)
            if (!refused(name)) text += (text.empty() ? "" : ", ") + name;
    return text.empty() ? "none" : text;
}

}  // namespace

layer_options read_options(const format& f, const std::vector<std::string>& given) {
    layer_options out;
    if (given.empty()) return out;
    auto* driver = GetGDALDriverManager()->GetDriverByName(f.driver);
    if (!driver) gdalmcp::gdal::raise(std::string{"this GDAL has no "} + f.driver + " driver");
    const auto dataset = options_in(*driver, GDAL_DMD_CREATIONOPTIONLIST),
               layer = options_in(*driver, GDAL_DS_LAYER_CREATIONOPTIONLIST);
    const std::string hint = std::string{"options of "} + f.driver + ": " + list_of(dataset, layer);
    for (const auto& one : given) {
        const auto equals = one.find('=');
        if (equals == std::string::npos || equals == 0)
            throw error{GDALMCP_INVALID_ARGUMENT, "option '" + one + "' is not KEY=VALUE", hint};
        const auto name = one.substr(0, equals), value = one.substr(equals + 1);
        const auto in_layer = layer.find(name), in_dataset = dataset.find(name);
        if (in_layer == layer.end() && in_dataset == dataset.end())
            throw error{GDALMCP_INVALID_ARGUMENT, std::string{f.driver} + " has no option '" + name + "'", hint};
        if (const auto* why = refused(name))
            throw error{GDALMCP_INVALID_ARGUMENT, "option '" + name + "' is not taken: " + why, hint};
        const auto& values = in_layer != layer.end() ? in_layer->second : in_dataset->second;
        const bool fits = values.empty() || std::any_of(values.begin(), values.end(), [&](const std::string& v) {
                              return EQUAL(v.c_str(), value.c_str());
                          });
        if (!fits) {
            std::string every;
            for (const auto& v : values) every += (every.empty() ? "" : ", ") + v;
            throw error{GDALMCP_INVALID_ARGUMENT, "option '" + name + "' is '" + value + "'", "it takes " + every};
        }
        (in_layer != layer.end() ? out.layer : out.dataset).push_back(one);
    }
    return out;
}

}  // namespace gdalmcp_vector
