#include <gdalmcp/gdal_class_names.hpp>

#include "arguments.hpp"
#include "gdal_kind.hpp"
#include "gdal_png.hpp"
#include "gdal_reduced_view.hpp"
#include "tools.hpp"

namespace gdalmcp_raster {
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
    .examples = {"[4,3,2]"},
    .min_items = 1,
    .max_items = 3,
    .or_single = true};
const arg<gdalmcp::choice> stretch{
    .name = "stretch",
    .about = "percent: 2nd to 98th percentile; minmax; none: 0 to 255. Classes are not stretched.",
    .fallback = gdalmcp::choice{"percent"},
    .values = {"percent", "minmax", "none"},
    .synonyms = {{"percentile", "percent"}}};
const arg<gdalmcp::choice> colormap{.name = "colormap",
                                    .about = "Colours of a single band of measurements.",
                                    .fallback = gdalmcp::choice{"gray"},
                                    .values = ramp_names(),
                                    .synonyms = {{"grey", "gray"}, {"grayscale", "gray"}, {"greyscale", "gray"}}};
const arg<std::int64_t> size{
    .name = "size", .about = "Longer side of the picture.", .unit = "pixels", .fallback = 768, .min = 16, .max = 1024};

const field<std::int64_t> pixel_width{"width", "Columns of the picture", "pixels"};
const field<std::int64_t> pixel_height{"height", "Rows of the picture", "pixels"};
const field<double> cells_per_pixel{"cells_per_pixel", "Cells along one side of a pixel; below 1 cells are magnified"};
const field<std::int64_t> image_bytes{"image_bytes", "Size of the PNG", "bytes"};
const field<double> transparent_share{"transparent_share", "Share of the pixels without data", "0 to 1"};
const field<std::string> legend_kind{"kind", "palette, classes, ramp or rgb"};
const field<std::int64_t> channel_band{"band", "Band number"};
const field<double> channel_low{"low", "Stored value shown darkest, or as the first colour"};
const field<double> channel_high{"high", "Stored value shown brightest, or as the last colour"};
const auto channels =
    gdalmcp::table{"channels", "For ramp and rgb: the range of each band", {channel_band, channel_low, channel_high}}
        .optional();
const field<std::int64_t> class_value{"value", "Stored value"};
const field<std::string> class_color{"color", "#rrggbbaa"};
const auto class_label = field<std::string>{"label", "Category name, where the data has one"}.optional();
const auto classes = gdalmcp::table{
    "classes",
    "For palette and classes: those shown, at most 32",
    {class_value, class_color,
     class_label}}.optional();
const auto classes_total = field<std::int64_t>{"classes_total", "Different values shown"}.optional();
const auto map_used = field<std::string>{"colormap", "For ramp: the colours"}.optional();
const auto unit = field<std::string>{"unit", "Unit of the values, where declared"}.optional();
const gdalmcp::record legend{
    "legend", "What the colours mean", {legend_kind, channels, classes, classes_total, map_used, unit}};
const auto used_geometry =
    gdalmcp::record{"area", "The geometry, when one was given", {gdal::geometry_used, gdal::geometry_crs_used}}
        .optional();

struct view {
    GDALDataset& source;
    window w;
    std::vector<int> bands;
    const OGRGeometry* shape;  // outside is transparent; nullptr = none
    grid on;
    kind k;
};

struct layer {
    std::vector<double> cells;
    std::vector<unsigned char> valid;
};

struct picture {
    int width = 0, height = 0;
    std::vector<color> pixels;
    std::vector<std::array<double, 2>> ranges;  // per channel
    std::map<std::int64_t, color> shown;        // classes
    std::string kind;
};

layer layer_of(const reduced_cells& from) {
    layer l{from.cells, std::vector<unsigned char>(from.cells.size(), 255)};
    for (std::size_t i = 0; i < l.cells.size(); ++i)
        if (std::isnan(l.cells[i])) l.valid[i] = 0;
    return l;
}

// Pixels whose area the shape touches.
void keep_inside(const view& v, int width, int height, layer& l) {
    if (!v.shape) return;
    grid coarse = part_of(v.on, v.w);
    const double x = static_cast<double>(v.w.width) / width, y = static_cast<double>(v.w.height) / height;
    for (const std::size_t i : {1U, 4U}) coarse.geotransform[i] *= x;
    for (const std::size_t i : {2U, 5U}) coarse.geotransform[i] *= y;
    coarse.width = width;
    coarse.height = height;
    const zone_mask zone{*v.shape, coarse, true};
    const auto& b = zone.bounds();
    std::vector<unsigned char> inside, all(l.valid.size(), 0);
    zone.read(0, b.height, inside);
    for (int row = 0; row < b.height; ++row)
        std::copy_n(inside.begin() + static_cast<std::ptrdiff_t>(row) * b.width, b.width,
                    all.begin() + static_cast<std::ptrdiff_t>(b.row + row) * width + b.column);
    for (std::size_t i = 0; i < all.size(); ++i)
        if (!all[i]) l.valid[i] = 0;
}

std::array<double, 2> range_of(const layer& l, const std::string& how) {
    if (how == "none") return {0, 255};
    return how == "minmax" ? percentile_range(l.cells, l.valid, 0, 100) : percentile_range(l.cells, l.valid, 2, 98);
}

picture drawn(const view& v, const std::vector<reduced_cells>& bands, const std::string& how, const std::string& map) {
    const int width = bands.front().width, height = bands.front().height;
    picture p{width, height, std::vector<color>(static_cast<std::size_t>(width) * height, color{0, 0, 0, 0}),
              {},    {},     {}};
    std::vector<layer> layers;
    for (const auto& b : bands) {
        layers.push_back(layer_of(b));
        keep_inside(v, width, height, layers.back());
    }
    const auto& first = layers.front();
    const auto* table = v.source.GetRasterBand(v.bands.front())->GetColorTable();
    if (bands.size() == 1 && (table || v.k == kind::classes)) {
        p.kind = table ? "palette" : "classes";
        p.shown = class_colors(first.cells, first.valid);
        for (auto& [value, c] : p.shown)
            if (table) {
                GDALColorEntry e{0, 0, 0, 0};
                if (value >= 0 && value < table->GetColorEntryCount())
                    table->GetColorEntryAsRGB(static_cast<int>(value), &e);
                c = {static_cast<std::uint8_t>(e.c1), static_cast<std::uint8_t>(e.c2), static_cast<std::uint8_t>(e.c3),
                     static_cast<std::uint8_t>(e.c4)};
            }
        for (std::size_t i = 0; i < p.pixels.size(); ++i)
            if (first.valid[i]) p.pixels[i] = p.shown[static_cast<std::int64_t>(first.cells[i])];
        return p;
    }
    for (const auto& l : layers) p.ranges.push_back(range_of(l, how));
    p.kind = layers.size() == 1 ? "ramp" : "rgb";
    const auto colors = ramp(map);
    for (std::size_t i = 0; i < p.pixels.size(); ++i) {
        if (!std::all_of(layers.begin(), layers.end(), [&](const layer& l) { return l.valid[i] != 0; })) continue;
        if (layers.size() == 1) {
            p.pixels[i] = colors[stretched(first.cells[i], p.ranges[0])];
            continue;
        }
        for (std::size_t k = 0; k < 3; ++k) p.pixels[i][k] = stretched(layers[k].cells[i], p.ranges[k]);
        p.pixels[i][3] = 255;
    }
    return p;
}

// The rows from the bottom up.
std::vector<color> turned_over(const picture& p) {
    std::vector<color> pixels;
    for (auto end = p.pixels.end(); end != p.pixels.begin(); end -= p.width)
        pixels.insert(pixels.end(), end - p.width, end);
    return pixels;
}

std::vector<int> bands_of(gdalmcp::call& call, GDALDataset& source) {
    if (const auto asked = call[shown_bands]) {
        if (asked->size() == 2)
            throw error{GDALMCP_INVALID_ARGUMENT, "'bands' names 2 bands",
                        "name one, or three for red, green and blue"};
        return band_numbers(source, asked);
    }
    std::vector<int> rgb;
    for (const auto wanted : {GCI_RedBand, GCI_GreenBand, GCI_BlueBand})
        for (int b = 1; b <= source.GetRasterCount(); ++b)
            if (source.GetRasterBand(b)->GetColorInterpretation() == wanted) {
                rgb.push_back(b);
                break;
            }
    return rgb.size() == 3 ? rgb : std::vector<int>{1};
}

void put_legend(gdalmcp::call& call, GDALDataset& source, const std::vector<int>& numbers, const picture& p) {
    auto at = call.at(legend);
    auto& band = *source.GetRasterBand(numbers.front());
    at.put(legend_kind, p.kind);
    if (*band.GetUnitType()) at.put(unit, std::string{band.GetUnitType()});
    if (p.ranges.empty()) {
        at.begin(classes);
        const gdalmcp::gdal::class_names names{band};
        std::size_t rows = 0;
        for (const auto& [value, c] : p.shown) {
            if (++rows > legend_rows) break;
            auto row = at.add(classes);
            row.put(class_value, value);
            row.put(class_color, color_text(c));
            if (const auto name = names.of(value); !name.empty()) row.put(class_label, name);
        }
        at.put(classes_total, static_cast<std::int64_t>(p.shown.size()));
        if (p.shown.size() > legend_rows)
            call.warn("the legend shows the first " + std::to_string(legend_rows) + " of " +
                      std::to_string(p.shown.size()) + " classes");
        return;
    }
    at.begin(channels);
    for (std::size_t i = 0; i < p.ranges.size(); ++i) {
        auto row = at.add(channels);
        row.put(channel_band, numbers[i]);
        row.put(channel_low, p.ranges[i][0]);
        row.put(channel_high, p.ranges[i][1]);
    }
    if (p.kind == "ramp") at.put(map_used, call[colormap].value);
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
    picture p;
    std::string png;
    std::vector<reduced_cells> cells;
    for (int attempt = 0; attempt < 12; ++attempt, factor *= 0.8) {
        const auto pixels = [&](int n) { return std::max(1, static_cast<int>(std::lround(n * factor))); };
        const int width = pixels(v.w.width), height = pixels(v.w.height);
        if (attempt == 0)
            cells = read_once(call, v, width, height);
        else
            for (auto& c : cells) c = smaller(c, width, height, v.k);
        p = drawn(v, cells, call[stretch].value, call[colormap].value);
        png = png_of(g.south_up() ? turned_over(p) : p.pixels, p.width, p.height);
        if (png.size() <= image_limit) break;
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
    if (g.south_up()) call.say("the raster is south-up; the picture shows north at the top");
    call.say("preview " + std::to_string(p.width) + " × " + std::to_string(p.height) +
             " pixels, for display, not for measurement");
    call.progress(1);
}

}  // namespace

const gdalmcp::tool raster_preview{
    {"raster_preview", "Preview raster",
     "Shows a raster as a PNG with a legend: palettes keep their colours, nodata is transparent, other values are "
     "stretched. Read-only; take no numbers from it.",
     GDALMCP_READ_ONLY | GDALMCP_IDEMPOTENT},
    run,
    {uri, shown_bands, gdalmcp::standard::geometry, gdalmcp::standard::geometry_crs, stretch, colormap, size,
     subdataset},
    {pixel_width, pixel_height, cells_per_pixel, image_bytes, transparent_share, bounds.all, legend, used_geometry}};

}  // namespace gdalmcp_raster
