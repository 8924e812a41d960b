#include <gdalmcp/gdal_class_names.hpp>

#include "arguments.hpp"
#include "datasets/gdal_band_label.hpp"
#include "gdal_drawing.hpp"
#include "gdal_kind.hpp"
#include "gdal_png.hpp"
#include "tools.hpp"

namespace gdalmcp_raster::raster_preview {
namespace {

using gdalmcp::arg;
using gdalmcp::error;
using gdalmcp::field;
namespace gdal = gdalmcp::gdal;

constexpr std::size_t image_limit = 400'000;       // bytes
constexpr std::int64_t most_read = 2'000'000'000;  // cells: about ten seconds
constexpr std::size_t legend_rows = 32;

const arg<std::optional<std::vector<std::int64_t>>> shown_bands{
    .name = "bands",
    .about = "One band, or three for red, green and blue. Default: the bands marked so, else 1.",
    .min = 1,
    .min_items = 1,
    .max_items = 3,
    .or_single = true};
const arg<gdalmcp::choice> stretch{
    .name = "stretch",
    .about = "percent: 2nd to 98th percentile of pixels; minmax; none: 0 to 255. Not for classes.",
    .fallback = gdalmcp::choice{"percent"},
    .values = {"percent", "minmax", "none"},
    .synonyms = {{"percentile", "percent"}}};
std::vector<const char*> colormap_names() {
    std::vector<const char*> names{"auto", "relief"};
    names.insert(names.end(), ramp_names().begin(), ramp_names().end());
    return names;
}

const arg<gdalmcp::choice> colormap{
    .name = "colormap",
    .about = "Of one band of measurements. auto: relief for declared heights, blue_red around zero, viridis or gray.",
    .fallback = gdalmcp::choice{"auto"},
    .values = colormap_names(),
    .synonyms = {{"grey", "gray"}, {"grayscale", "gray"}, {"greyscale", "gray"}, {"hillshade", "relief"}}};
const arg<std::int64_t> size{
    .name = "size", .about = "Longer side of the picture.", .unit = "pixels", .fallback = 768, .min = 16, .max = 1024};

const field<std::int64_t> pixel_width{"width", "Columns of the picture", "pixels"};
const field<std::int64_t> pixel_height{"height", "Rows of the picture", "pixels"};
const field<double> cells_per_pixel{"cells_per_pixel", "Cells along one side of a pixel; below 1 cells are magnified"};
const field<std::int64_t> image_bytes{"image_bytes", "Size of the PNG", "bytes"};
const field<double> transparent_share{"transparent_share", "Share of the pixels without data", "0 to 1"};
const field<std::string> legend_kind{"kind", "palette, classes, ramp, relief or rgb"};
const field<std::int64_t> channel_band{"band", "Band number"};
const auto channel_name = field<std::string>{"name", "Of the band, with date and level"}.optional();
const field<double> channel_low{"low", "Value shown darkest or as the first colour, scale and offset applied"};
const field<double> channel_high{"high", "Value shown brightest or as the last colour"};
const auto channels = gdalmcp::table{
    "channels",
    "For ramp, relief and rgb: the range of each band",
    {channel_band, channel_name, channel_low,
     channel_high}}.optional();
const field<std::int64_t> class_value{"value", "Stored value"};
const field<std::string> class_color{"color", "#rrggbbaa"};
const auto class_label = field<std::string>{"label", "Category name, where the data has one"}.optional();
const auto classes = gdalmcp::table{
    "classes",
    "For palette and classes: those shown, at most the 32 commonest",
    {class_value, class_color,
     class_label}}.optional();
const auto classes_total = field<std::int64_t>{"classes_total", "Different values shown"}.optional();
const auto map_used = field<std::string>{"colormap", "For ramp and relief: the colours"}.optional();
const auto unit = field<std::string>{"unit", "Unit of the values, where declared"}.optional();
const gdalmcp::record legend{
    "legend", "What the colours mean", {legend_kind, channels, classes, classes_total, map_used, unit}};
const auto used_geometry =
    gdalmcp::record{"area", "The geometry, when one was given", {gdal::geometry_used, gdal::geometry_crs_used}}
        .optional();

// Exactly three bands of bytes that nothing else is declared about.
bool three_of_a_picture(GDALDataset& source) {
    if (source.GetRasterCount() != 3) return false;
    for (auto&& b : source.GetBands())
        if (b->GetRasterDataType() != GDT_Byte || b->GetColorTable() || *b->GetUnitType() || *b->GetDescription())
            return false;
    return true;
}

std::vector<int> bands_of(gdalmcp::call& call, GDALDataset& source) {
    if (const auto asked = call[shown_bands]) {
        if (asked->size() == 2)
            throw error{GDALMCP_INVALID_ARGUMENT, "'bands' names 2 bands",
                        "name one, or three for red, green and blue"};
        return band_numbers(source, asked);
    }
    if (auto rgb = marked_bands(source); rgb.size() == 3) return rgb;
    if (three_of_a_picture(source)) {
        call.say("bands 1, 2 and 3 are shown as red, green and blue; none is marked so");
        return {1, 2, 3};
    }
    if (source.GetRasterCount() > 1)
        call.say("band 1 of " + std::to_string(source.GetRasterCount()) + " is shown; 'bands' chooses others");
    return {1};
}

// The classes of the legend, in the order of their codes.
std::vector<std::int64_t> commonest(const picture& p) {
    std::vector<std::int64_t> values;
    for (const auto& [value, unused] : p.shown) values.push_back(value);
    if (values.size() <= legend_rows) return values;
    std::stable_sort(values.begin(), values.end(),
                     [&](auto a, auto b) { return p.pixels_of.at(a) > p.pixels_of.at(b); });
    values.resize(legend_rows);
    std::sort(values.begin(), values.end());
    return values;
}

void put_legend(gdalmcp::call& call, GDALDataset& source, const std::vector<int>& numbers, const picture& p) {
    auto at = call.at(legend);
    auto& band = *source.GetRasterBand(numbers.front());
    at.put(legend_kind, p.kind);
    if (*band.GetUnitType()) at.put(unit, std::string{band.GetUnitType()});
    if (p.ranges.empty()) {
        at.begin(classes);
        const gdalmcp::gdal::class_names names{band};
        for (const auto value : commonest(p)) {
            auto row = at.add(classes);
            row.put(class_value, value);
            row.put(class_color, color_text(p.shown.at(value)));
            if (const auto name = names.of(value); !name.empty()) row.put(class_label, name);
        }
        at.put(classes_total, static_cast<std::int64_t>(p.shown.size()));
        if (p.shown.size() > legend_rows)
            call.warn("the legend shows the " + std::to_string(legend_rows) + " commonest of " +
                      std::to_string(p.shown.size()) + " classes");
        return;
    }
    at.begin(channels);
    for (std::size_t i = 0; i < p.ranges.size(); ++i) {
        auto row = at.add(channels);
        row.put(channel_band, numbers[i]);
        if (const auto name = band_label(*source.GetRasterBand(numbers[i])); !name.empty()) row.put(channel_name, name);
        row.put(channel_low, p.ranges[i][0]);
        row.put(channel_high, p.ranges[i][1]);
    }
    if (p.kind != "rgb") at.put(map_used, p.colormap);
}

// The bands at the size of the picture, or at half of it as often as that is needed to read them in seconds.
std::vector<reduced_cells> read_once(gdalmcp::call& call, const view& v, int width, int height) {
    const int wanted = width;
    std::vector<reduced_plan> plans;
    for (;; width = std::max(1, width / 2), height = std::max(1, height / 2)) {
        std::int64_t cost = 0;
        plans.clear();
        for (const int b : v.bands) {
            plans.push_back(plan_of(*v.source.GetRasterBand(b), v.w, width, height, v.k));
            cost += std::min(plans.back().cells, most_read + 1);
        }
        if (cost <= most_read || (width < 64 && height < 64)) break;
    }
    if (width < wanted || std::any_of(plans.begin(), plans.end(), [](const auto& p) { return p.too_large; }))
        call.warn(
            "the picture is coarse, each pixel shows one cell of its surroundings: the raster has no overviews to read "
            "instead; raster_convert to a COG builds them");
    std::vector<reduced_cells> read_bands;
    for (std::size_t i = 0; i < plans.size(); ++i) {
        call.progress(0.9 * static_cast<double>(i) / static_cast<double>(plans.size()), "reading");
        read_bands.push_back(read(plans[i], *v.source.GetRasterBand(v.bands[i]), width, height));
    }
    return read_bands;
}

void run(gdalmcp::call& call) {
    const auto source = open_raster(call[uri], call[subdataset]);
    const grid g = grid_of(*source);
    const auto numbers = bands_of(call, *source);
    for (const int b : numbers) require_real(*source->GetRasterBand(b));
    view v{*source, {0, 0, g.width, g.height}, numbers, nullptr, g, kind_of(*source->GetRasterBand(numbers.front()))};
    gdal::placed_geometry placed;
    if (const auto area = call[gdalmcp::standard::geometry]) {
        placed = gdal::place_geometry(*area, call[gdalmcp::standard::geometry_crs], {g.crs, g.extent()});
        placed.tell(call);
        v.shape = placed.shape.get();
        v.w = zone_mask{*placed.shape, g, true}.bounds();
        auto at = call.at(used_geometry);
        placed.put(at);
    }
    const int longer = std::max(v.w.width, v.w.height);
    const auto limit = static_cast<double>(call[size]);
    // Small rasters are magnified by whole numbers, so that cells can be told apart.
    double factor = limit / longer;
    if (factor > 1) factor = std::max(1.0, std::floor(std::min(limit, 256.0) / longer));
    const double asked = factor;
    picture p;
    std::string png;
    std::vector<reduced_cells> cells;
    for (int attempt = 0; attempt < 12; ++attempt) {
        const auto pixels = [&](int n) { return std::max(1, static_cast<int>(std::lround(n * factor))); };
        const int width = pixels(v.w.width), height = pixels(v.w.height);
        if (attempt == 0)
            cells = read_once(call, v, width, height);
        else
            for (auto& c : cells) c = smaller(c, width, height, v.k);
        p = drawn(v, cells, {call[stretch].value, call[colormap].value});
        turn_north_up(p, g);
        png = png_of(p.pixels, p.width, p.height);
        if (png.size() <= image_limit) break;
        // Bytes go with pixels, nearly: fewer of them take a little more each.
        factor *= std::min(0.95, 0.95 * std::sqrt(static_cast<double>(image_limit) / static_cast<double>(png.size())));
    }
    call.attach_image("image/png", png);
    call.put(pixel_width, p.width);
    call.put(pixel_height, p.height);
    call.put(cells_per_pixel, static_cast<double>(v.w.width) / p.width);
    call.put(image_bytes, static_cast<std::int64_t>(png.size()));
    const auto clear = std::count_if(p.pixels.begin(), p.pixels.end(), [](const color& c) { return c[3] == 0; });
    call.put(transparent_share, static_cast<double>(clear) / static_cast<double>(p.pixels.size()));
    const grid shown = part_of(g, v.w);
    bounds.put(call, shown.extent(), shown.crs);
    put_legend(call, *source, numbers, p);
    if (clear == static_cast<std::ptrdiff_t>(p.pixels.size()))
        call.warn("the picture is transparent throughout: it shows no data");
    if (factor < asked)
        call.say("drawn smaller than asked, so that the picture has no more than " +
                 std::to_string(image_limit / 1000) + " kB");
    if (p.kind == "relief") call.say("shaded by light from the north-west; heights are exaggerated for display");
    if (g.south_up()) call.say("the raster is south-up; the picture shows north at the top");
    if (g.mirrored()) call.say("the raster is mirrored; the picture shows east on the right");
    if (g.rotated() || !g.georeferenced) call.say("the picture shows rows and columns as stored; north may not be up");
    call.say("preview " + std::to_string(p.width) + " × " + std::to_string(p.height) +
             " pixels, for display, not for measurement");
    call.progress(1);
}

}  // namespace

const gdalmcp::tool tool{
    {"raster_preview", "Preview raster",
     "Shows a raster as a PNG, its legend only in the result: palettes keep their colours, heights are shaded, nodata "
     "is "
     "transparent, the rest stretched. Take no numbers from it.",
     GDALMCP_READ_ONLY | GDALMCP_IDEMPOTENT},
    run,
    {uri, shown_bands, gdalmcp::standard::geometry, gdalmcp::standard::geometry_crs, stretch, colormap, size,
     subdataset},
    {pixel_width, pixel_height, cells_per_pixel, image_bytes, transparent_share, bounds.all, legend, used_geometry}};

}  // namespace gdalmcp_raster::raster_preview
