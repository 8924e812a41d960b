#include "gdal_drawing.hpp"

#include <gdalmcp/gdal_kind.hpp>

#include "datasets/gdal_cell_size.hpp"
#include "datasets/gdal_class_table.hpp"
#include "gdal_relief.hpp"

namespace gdalmcp_raster {
namespace {

namespace gdal = gdalmcp::gdal;

// The values of a band, scale and offset applied.
struct layer {
    const std::vector<double>& cells() const { return scaled.empty() ? stored : scaled; }

    const std::vector<double>& stored;
    std::vector<double> scaled;  // fresh memory costs more than the arithmetic: only where they differ
    std::vector<unsigned char> valid;
};

layer layer_of(const reduced_cells& from, GDALRasterBand& band) {
    layer l{from.cells, {}, std::vector<unsigned char>(from.cells.size(), 255)};
    for (std::size_t i = 0; i < from.cells.size(); ++i)
        if (std::isnan(from.cells[i])) l.valid[i] = 0;
    const double scale = band.GetScale(), offset = band.GetOffset();
    if (scale == 1 && offset == 0) return l;
    l.scaled.reserve(from.cells.size());
    for (const double v : from.cells) l.scaled.push_back(v * scale + offset);
    return l;
}

// The grid of the pixels.
grid coarse_grid(const view& v, int width, int height) {
    grid coarse = part_of(v.on, v.w);
    const double x = static_cast<double>(v.w.width) / width, y = static_cast<double>(v.w.height) / height;
    for (const std::size_t i : {1U, 4U}) coarse.geotransform[i] *= x;
    for (const std::size_t i : {2U, 5U}) coarse.geotransform[i] *= y;
    coarse.width = width;
    coarse.height = height;
    return coarse;
}

// Pixels whose area the shape touches.
void keep_inside(const view& v, const grid& coarse, layer& l) {
    if (!v.shape) return;
    const zone_mask zone{*v.shape, coarse, true};
    const auto& b = zone.bounds();
    std::vector<unsigned char> inside, all(l.valid.size(), 0);
    zone.read(0, b.height, inside);
    for (int row = 0; row < b.height; ++row)
        std::copy_n(inside.begin() + static_cast<std::ptrdiff_t>(row) * b.width, b.width,
                    all.begin() + static_cast<std::ptrdiff_t>(b.row + row) * coarse.width + b.column);
    for (std::size_t i = 0; i < all.size(); ++i)
        if (!all[i]) l.valid[i] = 0;
}

std::array<double, 2> range_of(const layer& l, const std::string& how) {
    if (how == "none") return {0, 255};
    return how == "minmax" ? percentile_range(l.cells(), l.valid, 0, 100) : percentile_range(l.cells(), l.valid, 2, 98);
}

void draw_classes(const layer& l, const reduced_cells& stored, GDALRasterBand& band, picture& p) {
    const auto* table = band.GetColorTable();
    const auto named = table ? palette_colors{} : table_colors(band);
    p.kind = table || !named.empty() ? "palette" : "classes";
    p.shown = class_colors(stored.cells, l.valid);
    const auto level = [](int v) { return static_cast<std::uint8_t>(std::clamp(v, 0, 255)); };
    for (auto& [value, c] : p.shown)
        if (const auto of = named.find(static_cast<int>(value)); of != named.end())
            c = {level(of->second[0]), level(of->second[1]), level(of->second[2]), 255};
    for (auto& [value, c] : p.shown)
        if (table) {
            GDALColorEntry e{0, 0, 0, 0};
            if (value >= 0 && value < table->GetColorEntryCount())
                table->GetColorEntryAsRGB(static_cast<int>(value), &e);
            c = {static_cast<std::uint8_t>(e.c1), static_cast<std::uint8_t>(e.c2), static_cast<std::uint8_t>(e.c3),
                 static_cast<std::uint8_t>(e.c4)};
        }
    for (std::size_t i = 0; i < p.pixels.size(); ++i) {
        if (!l.valid[i]) continue;
        const auto value = static_cast<std::int64_t>(stored.cells[i]);
        p.pixels[i] = p.shown[value];
        ++p.pixels_of[value];
    }
}

// Colours that suit the values: shaded relief for heights, two hues around zero, grey for pictures, for numbers of
// unknown meaning, and for values that are shown as they are.
std::string suitable_colormap(const gdal::band_kind& k, const std::array<double, 2>& range,
                              const std::string& stretch) {
    if (k.kind == gdal::value_kind::elevation) return "relief";
    if (stretch == "none") return "gray";
    if (straddles_zero(range)) return "blue_red";
    return k.certain && k.kind != gdal::value_kind::imagery ? "viridis" : "gray";
}

void draw_ramp(const layer& l, picture& p) {
    const auto colors = p.kind == "relief" ? height_ramp(p.ranges[0]) : ramp(p.colormap);
    for (std::size_t i = 0; i < p.pixels.size(); ++i)
        if (l.valid[i]) p.pixels[i] = colors[stretched(l.cells()[i], p.ranges[0])];
}

// Light from the north-west onto heights that are exaggerated until their relief shows.
void shade(const view& v, const grid& coarse, const layer& l, picture& p) {
    relief_cell cell{coarse.cell_width(), -coarse.cell_height()};
    if (const auto size = cell_size_of(coarse, coarse.width / 2, coarse.height / 2))
        cell = {size->width, -size->height};
    if (v.on.south_up()) cell.height = -cell.height;
    if (v.on.mirrored()) cell.width = -cell.width;
    const double factor = relief_exaggeration(l.cells(), l.valid, p.width, std::abs(cell.width));
    std::vector<float> heights(l.cells().size());
    for (std::size_t i = 0; i < heights.size(); ++i)
        heights[i] = l.valid[i] ? static_cast<float>(l.cells()[i] * factor) : std::numeric_limits<float>::lowest();
    const auto light = hillshade_of(heights, p.width, p.height, cell);
    for (std::size_t i = 0; i < p.pixels.size(); ++i)
        if (l.valid[i] && light[i] != 0) p.pixels[i] = shaded(p.pixels[i], light[i], level_light);
}

}  // namespace

std::vector<int> marked_bands(GDALDataset& source) {
    std::vector<int> rgb;
    for (const auto wanted : {GCI_RedBand, GCI_GreenBand, GCI_BlueBand})
        for (int b = 1; b <= source.GetRasterCount(); ++b)
            if (source.GetRasterBand(b)->GetColorInterpretation() == wanted) {
                rgb.push_back(b);
                break;
            }
    return rgb;
}

picture drawn(const view& v, const std::vector<reduced_cells>& cells, const drawing_style& style) {
    const int width = cells.front().width, height = cells.front().height;
    picture p;
    p.width = width;
    p.height = height;
    p.pixels.assign(static_cast<std::size_t>(width) * static_cast<std::size_t>(height), color{0, 0, 0, 0});
    const grid coarse = coarse_grid(v, width, height);
    std::vector<layer> layers;
    for (std::size_t i = 0; i < cells.size(); ++i) {
        layers.push_back(layer_of(cells[i], *v.source.GetRasterBand(v.bands[i])));
        keep_inside(v, coarse, layers.back());
    }
    const auto& first = layers.front();
    auto& band = *v.source.GetRasterBand(v.bands.front());
    if (layers.size() == 1 && (band.GetColorTable() || v.k == kind::classes)) {
        draw_classes(first, cells.front(), band, p);
        return p;
    }
    for (const auto& l : layers) p.ranges.push_back(range_of(l, style.stretch));
    if (layers.size() == 1) {
        p.colormap = style.colormap != "auto"
                         ? style.colormap
                         : suitable_colormap(gdal::kind_of(band, v.on.crs.IsVertical() || v.on.crs.IsCompound()),
                                             p.ranges[0], style.stretch);
        p.kind = p.colormap == "relief" ? "relief" : "ramp";
        if (p.colormap == "blue_red" && straddles_zero(p.ranges[0])) p.ranges[0] = about_zero(p.ranges[0]);
        draw_ramp(first, p);
        if (p.kind == "relief") shade(v, coarse, first, p);
        return p;
    }
    p.kind = "rgb";
    for (std::size_t i = 0; i < p.pixels.size(); ++i) {
        if (!std::all_of(layers.begin(), layers.end(), [&](const layer& l) { return l.valid[i] != 0; })) continue;
        for (std::size_t k = 0; k < 3; ++k) p.pixels[i][k] = stretched(layers[k].cells()[i], p.ranges[k]);
        p.pixels[i][3] = 255;
    }
    return p;
}

void turn_north_up(picture& p, const grid& on) {
    auto& pixels = p.pixels;
    for (auto row = pixels.begin(); on.mirrored() && row != pixels.end(); row += p.width)
        std::reverse(row, row + p.width);
    if (!on.south_up()) return;
    for (int top = 0, bottom = p.height - 1; top < bottom; ++top, --bottom)
        std::swap_ranges(pixels.begin() + static_cast<std::ptrdiff_t>(top) * p.width,
                         pixels.begin() + static_cast<std::ptrdiff_t>(top + 1) * p.width,
                         pixels.begin() + static_cast<std::ptrdiff_t>(bottom) * p.width);
}

}  // namespace gdalmcp_raster
