#include "app/resources/indexes.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

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

// One raster of a listing: its entry, the CRS in a form that tells two of one name apart, its upper left corner, and
// what its cells are, by band.
struct listed_raster {
    json::object entry;
    std::string crs;
    double left = 0, top = 0;
    json::array bands{};
};

listed_raster listed(const std::string& name, const json::value& input) {
    listed_raster one{outline(name, input), {}};
    if (const auto* crs = base::at_pointer(input, "/crs/normal")) one.crs = std::string{crs->get_string()};
    if (const auto* bounds = base::find_member(input, "bounds")) {
        one.left = bounds->at(0).to_number<double>();
        one.top = bounds->at(3).to_number<double>();
    }
    if (const auto* bands = base::find_member(input, "bands")) one.bands = bands->get_array();
    return one;
}

std::string pair_text(const char* format, double a, double b) {
    char text[64];
    std::snprintf(text, sizeof text, format, a, b);
    return text;
}

std::string size_text(const json::value& size) {
    return pair_text("%.9g × %.9g", size.at(0).to_number<double>(), size.at(1).to_number<double>());
}

// How far the cells lie apart as parts of a cell; empty where they are one lattice, to a thousandth.
std::string offset(const listed_raster& first, const listed_raster& other) {
    const auto* size = base::find_member(first.entry, "pixel_size");
    if (!size) return {};
    const auto part = [](double from, double to, double cell) {
        const double cells = (to - from) / cell;
        return std::abs(cells - std::round(cells));
    };
    const double x = part(first.left, other.left, size->at(0).to_number<double>()),
                 y = part(first.top, other.top, size->at(1).to_number<double>());
    if (x <= 1e-3 && y <= 1e-3) return {};
    return pair_text("%.3g and %.3g cells", x, y);
}

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
    if (mine.at("bands") != theirs.at("bands")) return differ("bands", mine.at("bands"), theirs.at("bands"));
    const auto *cell = base::find_member(mine, "pixel_size"), *other_cell = base::find_member(theirs, "pixel_size");
    if (!cell || !other_cell) return cell == other_cell ? "" : "only one of them has a geotransform";
    for (const std::size_t i : {0, 1}) {
        const double a = cell->at(i).to_number<double>(), b = other_cell->at(i).to_number<double>();
        if (std::abs(a - b) > 1e-6 * a)
            return differ("pixel_size", json::value(size_text(*cell)), json::value(size_text(*other_cell)));
    }
    const auto apart = offset(first, other);
    if (!apart.empty())
        return "the cells of " + std::string{theirs.at("uri").get_string()} + " lie " + apart + " off those of " +
               std::string{mine.at("uri").get_string()};
    for (std::size_t i = 0; i < first.bands.size(); ++i)
        for (const char* name : {"dtype", "nodata", "unit"}) {
            const auto of = [&](const listed_raster& r) {
                const auto* found = base::find_member(r.bands[i], name);
                return found ? *found : json::value("none");
            };
            if (of(first) != of(other))
                return differ(("the " + std::string{name} + " of band " + std::to_string(i + 1)).c_str(), of(first),
                              of(other));
        }
    return {};
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
    json::array files, left_out;
    listed_raster first;
    std::string differs;
    for (const auto& name : *names) {
        const auto facts = q.from.h.facts_of(name, q.cancel);
        if (!facts && facts.error().code == code::cancelled) return tl::unexpected{facts.error()};
        if (!facts) {
            left_out.emplace_back(name + ": " + facts.error().message);
            if (differs.empty()) differs = name + " cannot be read";
            continue;
        }
        const auto& input = facts->at("input");
        if (base::string_member(input, "kind_of_dataset") != "raster") {
            left_out.emplace_back(name + " is no raster");
            continue;
        }
        if (!base::find_member(input, "bands"))
            return fail(code::unsupported, name + " holds its rasters in subdatasets",
                        "narrow the pattern to files with bands of their own");
        const auto one = listed(name, input);
        if (files.empty()) first = one;
        if (differs.empty()) differs = difference(first, one);
        files.push_back(one.entry);
    }
    if (files.empty())
        return fail(code::unsupported,
                    "'" + q.wanted + "' matches no raster: " + std::string{left_out.front().get_string()},
                    "give a pattern of rasters, as in tiles/*.tif");
    json::array joined;
    // Of the tool's patterns only * and ? are wildcards.
    if (left_out.empty() && q.wanted.find('[') == std::string::npos)
        joined.emplace_back(q.wanted);
    else
        for (const auto& file : files) joined.push_back(file.at("uri"));
    const bool several = files.size() > 1;
    json::object o{{"pattern", q.wanted}, {"files", std::move(files)}};
    if (!left_out.empty()) o["left_out"] = std::move(left_out);
    if (!differs.empty()) o["differs"] = differs;
    if (differs.empty() && several)
        o["next"] = call_of("raster_mosaic", {{"uris", std::move(joined)}, {"mode", "vrt"}, {"output", "mosaic.vrt"}});
    return text_contents(std::move(o));
}

}  // namespace gdalmcp::app
