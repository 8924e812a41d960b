#include "app/resources/indexes.hpp"

#include <algorithm>

#include "app/resources/metadata.hpp"
#include "app/resources/resource_uri.hpp"
#include "base/pointer.hpp"
#include "base/text.hpp"
#include "workspace/name_pattern.hpp"

namespace gdalmcp::app {

using base::fail;
using base::result;
namespace code = base::code;

namespace {

constexpr std::size_t max_files = 100;
constexpr std::int64_t small_side = 256;  // cells; pictures of less need no overviews

json::object call_of(const char* tool, json::object arguments) {
    return {{"tool", tool}, {"arguments", std::move(arguments)}};
}

// An index lies beside a file of its own, in a folder that may be written to.
bool may_have_index_beside(host& h, const std::string& file) {
    const auto path = h.workspaces().readable(file);
    return path && h.workspaces().writable(path->string());
}

result<json::object> index_of_raster(host& h, const std::string& file, const runner::cancellation& cancel) {
    const auto info = info_of(h, "raster_info", file, cancel);
    if (!info) return info;
    const auto& bands = info->at("bands").get_array();
    if (bands.empty())
        return fail(
            code::unsupported, file + " holds its rasters in subdatasets",
            "read metadata://" + percent_encoded(file) + "/raster for their names, and index://dataset/ of one");
    const auto& overviews = bands.front().at("overviews");
    json::object o{{"uri", file},
                   {"kind", "raster"},
                   {"driver", info->at("driver")},
                   {"layout", info->at("layout")},
                   {"overviews", overviews}};
    const auto side =
        std::max(info->at("width").to_number<std::int64_t>(), info->at("height").to_number<std::int64_t>());
    if (overviews.get_array().empty() && side > small_side && may_have_index_beside(h, file))
        o["next"] = call_of("raster_index", {{"uri", file}});
    return o;
}

result<json::object> index_of_layers(host& h, const std::string& file, const runner::cancellation& cancel) {
    const auto info = info_of(h, "vector_info", file, cancel);
    if (!info) return info;
    json::object o{{"uri", file}, {"kind", "vector"}, {"driver", info->at("driver")}};
    bool missing = false;
    json::array layers;
    for (const auto& layer : info->at("layers").get_array()) {
        layers.push_back(json::object{{"name", layer.at("name")}, {"spatial_index", layer.at("spatial_index")}});
        missing = missing || layer.at("spatial_index") == json::value(false);
    }
    o["layers"] = std::move(layers);
    if (!missing || !may_have_index_beside(h, file)) return o;
    const bool shapefile = base::lower_ascii(file).ends_with(".shp");
    o["next"] = shapefile ? call_of("vector_index", {{"uri", file}})
                          : call_of("vector_convert", {{"uri", file}, {"output", file + ".gpkg"}});
    return o;
}

json::object outline(const std::string& name, const json::value& input) {
    const auto* crs = base::at_pointer(input, "/crs/label");
    json::object o{{"uri", name}, {"crs", crs ? *crs : json::value("")}};
    if (const auto* size = base::find_member(input, "pixel_size")) o["pixel_size"] = *size;
    if (const auto* bands = base::find_member(input, "bands")) o["bands"] = bands->get_array().size();
    return o;
}

// One raster of a listing: its entry, and the CRS in a form that tells two of one name apart.
struct listed_raster {
    json::object entry;
    std::string crs;
};

std::string difference(const listed_raster& first, const listed_raster& other) {
    const auto differ = [&](const char* name, const json::value& a, const json::value& b) {
        return std::string{name} + " of " + std::string{other.entry.at("uri").get_string()} + " is " +
               base::write_json(b) + ", of " + std::string{first.entry.at("uri").get_string()} + " " +
               base::write_json(a);
    };
    const auto &mine = first.entry, &theirs = other.entry;
    if (first.crs != other.crs)
        return mine.at("crs") == theirs.at("crs") ? differ("crs", json::value(first.crs), json::value(other.crs))
                                                  : differ("crs", mine.at("crs"), theirs.at("crs"));
    return mine.at("bands") == theirs.at("bands") ? "" : differ("bands", mine.at("bands"), theirs.at("bands"));
}

}  // namespace

std::optional<std::string> file_of_index(std::string_view uri) {
    constexpr std::string_view scheme = "index://dataset/";
    return uri.starts_with(scheme) ? base::percent_decoded(uri.substr(scheme.size())) : std::nullopt;
}

contents read_index(const reading& q) {
    const auto file = file_of_index(q.uri.given).value_or(q.wanted);
    const auto facts = q.from.h.facts_of(file, q.cancel);
    if (!facts) return tl::unexpected{facts.error()};
    const bool raster = base::string_member(facts->at("input"), "kind_of_dataset") == "raster";
    return (raster ? index_of_raster(q.from.h, file, q.cancel) : index_of_layers(q.from.h, file, q.cancel))
        .map([](auto told) { return text_contents(std::move(told)); });
}

contents read_vrt(const reading& q) {
    const auto names = workspace::names_matching(q.wanted, q.from.h.workspaces());
    if (!names) return tl::unexpected{names.error()};
    if (names->size() > max_files)
        return fail(code::exhausted,
                    "'" + q.wanted + "' matches " + std::to_string(names->size()) + " files, more than the " +
                        std::to_string(max_files) + " of this listing",
                    "narrow the pattern; raster_mosaic with mode vrt takes up to 400");
    json::array files;
    listed_raster first;
    std::string differs;
    for (const auto& name : *names) {
        const auto facts = q.from.h.facts_of(name, q.cancel);
        if (!facts) return tl::unexpected{facts.error()};
        const auto& input = facts->at("input");
        if (base::string_member(input, "kind_of_dataset") != "raster")
            return fail(code::unsupported, name + " is no raster", "narrow the pattern, as in tiles/*.tif");
        if (!base::find_member(input, "bands"))
            return fail(code::unsupported, name + " holds its rasters in subdatasets",
                        "narrow the pattern to files with bands of their own");
        const auto* crs = base::at_pointer(input, "/crs/normal");
        const listed_raster one{outline(name, input), crs ? std::string{crs->get_string()} : std::string{}};
        if (files.empty()) first = one;
        if (differs.empty()) differs = difference(first, one);
        files.push_back(one.entry);
    }
    json::object o{{"pattern", q.wanted}, {"files", std::move(files)}};
    if (!differs.empty()) o["differs"] = differs;
    json::array pattern;
    pattern.emplace_back(q.wanted);
    if (differs.empty())
        o["next"] = call_of("raster_mosaic", {{"uris", std::move(pattern)}, {"mode", "vrt"}, {"output", "mosaic.vrt"}});
    return text_contents(std::move(o));
}

}  // namespace gdalmcp::app
