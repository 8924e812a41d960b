// map_preview: rasters and vector layers drawn together, with a legend.
#include <gdalmcp/gdal_geometry.hpp>

#include <array>
#include <cmath>

#include "gdal_map_layers.hpp"
#include "gdal_picture_result.hpp"
#include "tools.hpp"
#include "vector/ogr_layer_extent.hpp"

namespace gdalmcp_maps::map_preview {
namespace {

using gdalmcp::arg;
using gdalmcp::error;
using gdalmcp::field;
namespace gdal = gdalmcp::gdal;
namespace standard = gdalmcp::standard;

const arg<std::optional<std::string>> credit_line{
    .name = "source", .about = "Credit, written below.", .max_length = 200};
const auto shown_area = standard::described(standard::geometry, "Area to show. Default: all layers.");
const arg<std::optional<gdalmcp::crs>> drawn_in{
    .name = "crs", .about = "CRS drawn in. Default: a layer's projected one, else equal-area."};
const auto box_crs =
    standard::described(standard::geometry_crs, "Default: CRS84 for GeoJSON, the first layer's for a box.");
const arg<std::optional<std::string>> title{.name = "title", .about = "Written above.", .max_length = 120};
const arg<bool> with_legend{.name = "legend", .about = "Colours explained.", .fallback = true};
const arg<bool> graticule{.name = "graticule", .about = "Longitudes and latitudes.", .fallback = false};

const field<std::string> why_crs{"crs_choice", "Why this CRS"};
const gdal::bounds_record bounds{"bounds", "Extent of the map"};
const auto scale_of_map = field<double>{"metres_per_pixel", "In the middle; absent without CRS", "m"}.optional();
const field<std::string> shown_name{"name", "File, layer and field"};
const field<std::string> shown_kind{"kind",
                                    "polygons, lines, points; or of a raster palette, classes, ramp, relief, rgb"};
const auto shown_features = field<std::int64_t>{"feature_count", "In the map", "features"}.optional();
const auto shown_method = field<std::string>{"classes", "How values were classed"}.optional();
const field<std::vector<std::string>> shown_legend{"legend", "Colour, meaning and number of features"};
const gdalmcp::table shown_layers{
    "layers", "As drawn", {shown_name, shown_kind, shown_features, shown_method, shown_legend}};

// What 'geometry' asks for, as a box in the CRS of the first layer.
std::optional<layer_place> area_asked(gdalmcp::call& call, const std::vector<opened_layer>& all) {
    const auto area = call[shown_area];
    if (!area) return std::nullopt;
    const auto& on = all.front().place;
    const auto placed = gdal::place_geometry(*area, call[box_crs], {on.crs, on.extent});
    placed.tell(call);
    return layer_place{"geometry", on.crs, gdalmcp_vector::extent_across_180(*placed.shape, on.crs)};
}

// The extent the map shows, in its plane.
OGREnvelope extent_of(const map_plane& plane, const std::vector<layer_place>& places,
                      const std::optional<layer_place>& asked) {
    if (asked) return extent_in(plane, *asked);
    OGREnvelope all;
    for (const auto& p : places)
        if (const auto box = extent_in(plane, p); box.IsInit()) all.Merge(box);
    if (!all.IsInit())
        throw error{GDALMCP_INVALID_ARGUMENT, "no layer has a cell or a geometry: there is nothing to draw",
                    "give layers with data; vector_info and raster_info describe them"};
    return all;
}

std::string color_hex(const color& c) { return gdalmcp_raster::color_text(c).substr(0, 7); }

std::vector<std::string> lines_of(const legend_block& b, const drawn_features& f) {
    std::vector<std::string> lines;
    if (!b.ramp.empty()) return {color_hex(b.ramp.front()) + " " + b.low, color_hex(b.ramp.back()) + " " + b.high};
    for (std::size_t i = 0; i < b.entries.size(); ++i) {
        auto line = color_hex(b.entries[i].shown);
        if (!b.entries[i].label.empty()) line += " " + b.entries[i].label;
        if (f.classes && i < f.classes->classes.size()) line += ": " + std::to_string(f.classes->classes[i].count);
        lines.push_back(std::move(line));
    }
    for (const auto& e : b.sizes)
        lines.push_back("circle of " + short_number(gdalmcp::significant(2 * e.radius, 3)) + " pixels: " + e.label);
    return lines;
}

void warn_of(gdalmcp::call& call, const std::string& name, const drawn_features& f) {
    const auto some = [&](GIntBig n, const char* what) {
        if (n > 0) call.warn(name + ": " + std::to_string(n) + (n == 1 ? " feature " : " features ") + what);
    };
    for (const auto& text : f.marks) call.warn(name + ": " + text);
    some(f.without_geometry, "without geometry not drawn");
    some(f.no_place, "with no place in the map's CRS not drawn");
    some(f.no_size, "without a size above zero not drawn");
    some(f.no_value, "without a value drawn in grey");
    if (f.count > 0 && f.no_value == f.count) call.warn(name + ": no feature has a value, so the map shows none");
    if (f.labels_left_out > 0)
        call.warn(name + ": " + std::to_string(f.labels) + " labels drawn, " + std::to_string(f.labels_left_out) +
                  " left out for want of room");
}

void report(gdalmcp::call& call, const std::vector<opened_layer>& all, const finished_map& m) {
    call.begin(shown_layers);
    for (std::size_t i = 0; i < all.size(); ++i) {
        auto row = call.add(shown_layers);
        row.put(shown_name, all[i].title);
        row.put(shown_kind, m.kinds[i]);
        if (all[i].features) row.put(shown_features, m.features[i].count);
        if (m.features[i].classes) row.put(shown_method, m.features[i].classes->method);
        row.put(shown_legend, lines_of(m.blocks[i], m.features[i]));
        if (m.empty[i])
            call.warn(all[i].title +
                      (all[i].features ? ": no feature lies in the map" : ": no cell with data lies in the map"));
        if (!all[i].features) continue;
        warn_of(call, all[i].title, m.features[i]);
    }
    if (m.shown.metres_per_pixel && !m.shown.scale_bar)
        call.say("no scale bar: lengths on the map differ by more than a tenth from place to place");
    if (!m.frame.crs.IsEmpty() && !m.shown.north_arrow) call.say("north is not up everywhere on the map");
}

void run(gdalmcp::call& call) {
    auto all = open_all(call);
    std::vector<layer_place> places;
    for (const auto& l : all) places.push_back(l.place);
    const auto asked = area_asked(call, all);
    const auto plane = plane_for(places, asked, call[drawn_in]);
    const auto area = extent_of(plane, places, asked);
    if (!asked && std::any_of(places.begin(), places.end(), [&](const auto& p) { return cut_to_use(plane, p); }))
        call.say("only what lies in the area of use of " + gdal::crs_label(plane.crs) + " is shown");
    const map_wish wish{call[title], call[credit_line], call[with_legend], call[graticule], asked.has_value()};
    const auto m = attach_within_limit(call, [&](int longer, int attempt) {
        const double from = attempt == 0 ? 0 : 0.6 + 0.1 * attempt;
        return draw_map(call, all, plane, area, wish, longer, {from, attempt == 0 ? 0.6 : from + 0.1});
    });
    bounds.put(call, m.frame.box, m.frame.crs);
    call.put(why_crs, plane.why);
    if (m.shown.metres_per_pixel) call.put(scale_of_map, gdalmcp::significant(*m.shown.metres_per_pixel, 4));
    report(call, all, m);
    call.say("a map for looking, not for measurement");
    call.progress(1);
}

}  // namespace

const gdalmcp::tool tool{
    {.name = "map_preview",
     .title = "Preview map",
     .about =
         "Draws rasters and vector layers together as a PNG with legend and scale bar, features coloured by a field. "
         "Take no numbers from it.",
     .behaviour = GDALMCP_READ_ONLY | GDALMCP_IDEMPOTENT},
    run,
    {layers, shown_area, box_crs, drawn_in, title, credit_line, graticule, with_legend, size},
    {picture_width, picture_height, image_bytes, bounds.all, why_crs, scale_of_map, shown_layers}};

}  // namespace gdalmcp_maps::map_preview
