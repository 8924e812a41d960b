#include "gdal_cells.hpp"

#include <gdalmcp/gdal_blocks.hpp>
#include <gdalmcp/gdal_class_names.hpp>
#include <gdalmcp/gdal_kind.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "datasets/gdal_band_label.hpp"
#include "datasets/gdal_programs.hpp"
#include "field_classes.hpp"
#include "raster/gdal_another_turn.hpp"
#include "raster/gdal_faithful_clones.hpp"
#include "raster/gdal_warp_request.hpp"

namespace gdalmcp_maps {
namespace {

namespace gdal = gdalmcp::gdal;
using gdalmcp_raster::kind;
using gdalmcp_raster::reduced_cells;

constexpr double most_averaged = 2e8;  // cells: some ten seconds
constexpr std::size_t most_classes = 16;

// Cells of the raster, or of its smallest overview that is as fine as the map, that one pixel covers, along a side and
// in all.
struct reduction {
    double side = 1, cells = 0;
};
reduction reduction_on(GDALDataset& source, const map_frame& frame) {
    auto& band = *source.GetRasterBand(1);
    const double width = source.GetRasterXSize(), height = source.GetRasterYSize();
    const auto own = gdalmcp_datasets::grid_of(source);
    double side = 1;
    if (own.georeferenced) {
        layer_place whole{source.GetDescription(), own.crs, own.extent()};
        const auto box = extent_in({frame.crs, ""}, whole);
        side =
            std::min(width / ((box.MaxX - box.MinX) / frame.pixel()), height / ((box.MaxY - box.MinY) / frame.pixel()));
    }
    double read = side;
    for (int i = 0; i < band.GetOverviewCount(); ++i)
        if (const double factor = width / band.GetOverview(i)->GetXSize(); factor <= side)
            read = std::min(read, side / factor);
    return {side, read * read * frame.width * frame.height};
}

const char* resampling_for(kind k, const reduction& r) {
    if (k == kind::classes || r.cells > most_averaged) return "near";
    return r.side > 1 ? "average" : "bilinear";
}

gdalmcp_raster::grid grid_of_pixels(const map_frame& f) {
    gdalmcp_raster::grid g;
    g.width = f.width;
    g.height = f.height;
    g.geotransform = {f.box.MinX, f.pixel(), 0, f.box.MaxY, 0, -f.pixel()};
    g.georeferenced = true;
    g.crs = f.crs;
    return g;
}

gdal::words words_of(const map_frame& f, OGRSpatialReference source, const char* resampling) {
    gdal::words w{"-of", "MEM", "-ot", "Float64", "-dstnodata", "nan", "-r", resampling, "-ovr", "AUTO", "-te"};
    for (const double v : {f.box.MinX, f.box.MinY, f.box.MaxX, f.box.MaxY}) w.add(gdal::number_text(v));
    w.add("-ts", std::to_string(f.width), std::to_string(f.height));
    if (!f.crs.IsEmpty())
        w.add("-s_srs", gdalmcp_raster::crs_definition(source), "-t_srs", gdalmcp_raster::crs_definition(f.crs));
    return w.add("-wo", "UNIFIED_SRC_NODATA=NO", "-wo", "SAMPLE_GRID=YES");
}

// The bands of `chosen`, a part of `source`, on the pixels of the map.
std::vector<reduced_cells> warped(GDALDataset& source, GDALDataset& chosen, const map_frame& frame,
                                  const char* resampling, gdal::step& step) {
    OGRSpatialReference own;
    if (!frame.crs.IsEmpty()) own = gdalmcp_raster::source_crs(source, gdalmcp_raster::warp_request());
    auto words = words_of(frame, own, resampling);
    // In its own CRS alone: threads that transform may do so by other rules than the first, see faithful_clones.
    if (gdal::threads_of_call() > 1 && (frame.crs.IsEmpty() || own.IsSame(&frame.crs)))
        words.add("-multi", "-wo", "NUM_THREADS=" + gdalmcp_raster::kernel_threads(source));
    auto on = gdalmcp_datasets::grid_of(source);
    on.crs = own;
    // Of a map of much of the Earth, so that what is cheap stays so.
    constexpr double wide = 1e7;  // m
    const bool world = frame.crs.IsProjected() && !own.IsSame(&frame.crs) &&
                       frame.width * frame.pixel() * frame.crs.GetLinearUnits() > wide;
    const gdalmcp_raster::outline_kept outline{world || gdalmcp_raster::may_repeat(on, frame.crs, true)};
    const auto there = gdalmcp_datasets::warp_by_program({&chosen}, "", std::move(words), {gdal::step::report, &step});
    if (!there) {
        gdal::raise_if_unreadable(source, [&] { step.running.progress(step.to); });
        gdal::raise("cannot draw " + std::string{source.GetDescription()} + " in the map's CRS");
    }
    std::vector<reduced_cells> cells;
    for (int b = 1; b <= there->GetRasterCount(); ++b) {
        reduced_cells c{frame.width, frame.height, {}};
        c.cells.resize(static_cast<std::size_t>(frame.width) * static_cast<std::size_t>(frame.height));
        if (there->GetRasterBand(b)->RasterIO(GF_Read, 0, 0, frame.width, frame.height, c.cells.data(), frame.width,
                                              frame.height, GDT_Float64, 0, 0, nullptr) != CE_None)
            gdal::raise("cannot read the cells of the map");
        for (auto& v : c.cells)
            if (!std::isfinite(v)) v = std::numeric_limits<double>::quiet_NaN();
        cells.push_back(std::move(c));
    }
    return cells;
}

bool few_values(const reduced_cells& c) {
    constexpr std::size_t most = 20;
    std::set<double> different;
    for (const double v : c.cells)
        if (!std::isnan(v) && different.insert(v).second && different.size() > most) return false;
    return true;
}

}  // namespace

map_cells cells_on_map(gdalmcp::call& call, GDALDataset& source, const std::vector<int>& bands, const map_frame& frame,
                       const span& part) {
    gdal::words chosen_bands{"-of", "VRT"};
    for (const int b : bands) chosen_bands.add("-b", std::to_string(b));
    // An alpha band is no longer among the bands.
    if (source.GetRasterBand(bands.front())->GetMaskFlags() & GMF_ALPHA) chosen_bands.add("-mask", "mask");
    const auto chosen = gdalmcp_datasets::translate(source, "", chosen_bands);
    if (!chosen) gdal::raise("cannot read the bands of " + std::string{source.GetDescription()});
    auto k = gdalmcp_raster::kind_of(*source.GetRasterBand(bands.front()));
    const bool doubtful = bands.size() == 1 && gdal::kind_of(*source.GetRasterBand(bands.front())).few;
    const double middle = doubtful ? (part.from + part.to) / 2 : part.from;
    std::vector<reduced_cells> cells;
    if (doubtful) {
        gdal::step step{call, part.from, middle};
        cells = warped(source, *chosen, frame, "near", step);
        if (few_values(cells.front())) k = kind::classes;
    }
    if (!doubtful || k != kind::classes) {
        gdal::step step{call, middle, part.to};
        cells = warped(source, *chosen, frame, resampling_for(k, reduction_on(*chosen, frame)), step);
    }
    const gdalmcp_raster::view v{source, {0, 0, frame.width, frame.height}, bands, nullptr, grid_of_pixels(frame), k};
    map_cells drawn{gdalmcp_raster::drawn(v, cells, {"percent", "auto"})};
    if (drawn.ranges.size() != 1) return drawn;
    auto& band = *source.GetRasterBand(bands.front());
    const double scale = band.GetScale(), offset = band.GetOffset();
    const auto [low, high] = drawn.ranges[0];
    const double rounding = 1e-6 * (high - low) + 1e-12 * std::abs(low);  // of resampling
    for (const double cell : cells.front().cells) {
        drawn.below = drawn.below || cell * scale + offset < low - rounding;
        drawn.above = drawn.above || cell * scale + offset > high + rounding;
    }
    return drawn;
}

legend_block legend_of(const map_cells& p, GDALDataset& source, const std::vector<int>& bands,
                       const std::string& title) {
    auto& band = *source.GetRasterBand(bands.front());
    legend_block block{title, swatch::area, {}, {}, "", ""};
    if (p.kind == "rgb") return block;
    const std::string unit = band.GetUnitType();
    if (p.ranges.empty()) {
        const gdal::class_names names{band};
        std::vector<std::int64_t> codes;
        for (const auto& [code, unused] : p.shown) codes.push_back(code);
        std::stable_sort(codes.begin(), codes.end(),
                         [&](auto a, auto b) { return p.pixels_of.at(a) > p.pixels_of.at(b); });
        const auto more = codes.size() > most_classes ? codes.size() - most_classes : 0;
        codes.resize(codes.size() - more);
        std::sort(codes.begin(), codes.end());
        for (const auto code : codes) {
            const auto name = names.of(code);
            block.entries.push_back({p.shown.at(code), name.empty() ? std::to_string(code) : name});
        }
        if (more > 0) block.entries.push_back({{255, 255, 255, 0}, std::to_string(more) + " more classes"});
        return block;
    }
    if (const auto name = gdalmcp_datasets::band_label(band); !name.empty()) block.title += ": " + name;
    if (!unit.empty()) block.title += " [" + unit + "]";
    block.ramp = p.colormap == "relief" ? gdalmcp_raster::height_ramp(p.ranges[0]) : gdalmcp_raster::ramp(p.colormap);
    block.low = (p.below ? "≤ " : "") + short_number(p.ranges[0][0]);
    block.high = (p.above ? "≥ " : "") + short_number(p.ranges[0][1]);
    return block;
}

}  // namespace gdalmcp_maps
