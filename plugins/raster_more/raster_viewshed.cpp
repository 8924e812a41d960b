#include <gdalmcp/gdal_geometry.hpp>

#include "arguments.hpp"
#include "datasets/gdal_flow_tags.hpp"
#include "gdal_ground.hpp"
#include "line_of_sight.hpp"
#include "raster/gdal_class_areas.hpp"
#include "raster/gdal_relief.hpp"
#include "raster/gdal_zone_mask.hpp"
#include "tools.hpp"

namespace gdalmcp_raster_more::raster_viewshed {
namespace {

using progress = std::function<void(double)>;

constexpr double none = 255;
constexpr double max_height = 1e9;  // m; no surface has more, and differences of such heights are still exact
constexpr double max_cells = 25e6;  // the surface is held in memory, and each cell looked at along its line

const auto dem = standard::described(uri, "Elevation model: path, file:// or query://result/{id}.");
const arg<gdalmcp::geometry> observer{.name = "geometry",
                                      .about = "The observer: a GeoJSON Point, or a dataset with one point."};
const arg<double> observer_height{.name = "observer_height",
                                  .about = "Of the observer's eyes above the surface.",
                                  .unit = "m",
                                  .fallback = 2.0,
                                  .min = 0,
                                  .max = 100'000};
const arg<double> target_height{.name = "target_height",
                                .about = "Of what is looked for above the surface; 0: the surface itself.",
                                .unit = "m",
                                .fallback = 0.0,
                                .min = 0,
                                .max = 100'000};
const arg<std::optional<double>> max_distance{
    .name = "max_distance", .about = "How far to look. Default: over the whole raster.", .unit = "m", .above = 0.0};
const arg<double> curvature{.name = "curvature",
                            .about = "1 − refraction: 0.85714 for light, 0.75 for radio; 0: a flat Earth.",
                            .fallback = 0.85714,
                            .min = 0,
                            .max = 1};
const arg<std::optional<double>> z_factor{
    .name = "z_factor", .about = "Brings heights to the unit of the CRS. Default: by their units.", .above = 0.0};

const field<std::vector<double>> position{"observer", "Centre of the observer's cell, [x, y] in 'crs'"};
const field<double> ground_height{"observer_ground_m", "Height of the surface under the observer", "m"};
const field<double> nodata{"nodata", "Of cells beyond max_distance or without a height; 1: visible, 0: hidden"};
const field<std::int64_t> visible_count{"visible_count", "Cells with a visible target", "cells"};
const field<std::int64_t> hidden_count{"hidden_count", "Cells with a hidden one", "cells"};
const field<std::int64_t> unknown_count{"unknown_count", "Cells within the distance without a height", "cells"};
const auto visible_area = field<double>{"visible_area_m2", "True area of the visible cells", "m2"}.optional();
const auto visible_share = field<double>{"visible_share", "Of the cells with a height", "0 to 1"}.measured();

struct observed_cell {
    double x = 0, y = 0;  // in the CRS
    int column = 0, row = 0;
};

observed_cell place_of(gdalmcp::call& call, const std::string& path, const grid& on) {
    const auto placed = gdal::place_geometry(call[observer], call[standard::geometry_crs], {on.crs, on.extent()});
    placed.tell(call);
    const auto* point = placed.shape.get();
    if (wkbFlatten(point->getGeometryType()) == wkbMultiPoint && point->toMultiPoint()->getNumGeometries() == 1)
        point = point->toMultiPoint()->getGeometryRef(0);
    if (wkbFlatten(point->getGeometryType()) != wkbPoint)
        throw error{GDALMCP_INVALID_ARGUMENT,
                    std::string{"'geometry' is a "} + point->getGeometryName() + ", and one observer is one point",
                    "give {\"type\":\"Point\",\"coordinates\":[x,y]}; call once for each observer"};
    observed_cell at{point->toPoint()->getX(), point->toPoint()->getY()};
    const double column = (at.x - on.geotransform[0]) / on.geotransform[1],
                 row = (at.y - on.geotransform[3]) / on.geotransform[5];
    if (!(column >= 0 && row >= 0 && column < on.width && row < on.height))
        throw error{GDALMCP_INVALID_ARGUMENT,
                    "the observer at " + gdal::coordinate_text(at.x) + ", " + gdal::coordinate_text(at.y) +
                        " is not on " + path + ", which extends over " + gdal::extent_text(on.extent(), on.crs),
                    "give a point on the raster"};
    at.column = static_cast<int>(column);
    at.row = static_cast<int>(row);
    at.x = on.geotransform[0] + (at.column + 0.5) * on.geotransform[1];
    at.y = on.geotransform[3] + (at.row + 0.5) * on.geotransform[5];
    return at;
}

// The cells within a distance along both axes.
window window_around(const grid& on, const observed_cell& at, double reach) {
    const auto cells = [](double n) { return static_cast<int>(std::min(n * (1 + 1e-12), 2e9)); };
    const int x = cells(reach / on.cell_width()), y = cells(reach / on.cell_height());
    const auto span = [](int middle, int radius, int size) {
        const auto first = std::max<std::int64_t>(0, std::int64_t{middle} - radius);
        const auto end = std::min<std::int64_t>(size, std::int64_t{middle} + radius + 1);
        return std::array{static_cast<int>(first), static_cast<int>(end - first)};
    };
    const auto columns = span(at.column, x, on.width), rows = span(at.row, y, on.height);
    return {columns[0], rows[0], columns[1], rows[1]};
}

// The heights of a window in metres.
sighted_surface surface_of(gdalmcp::call& call, GDALRasterBand& band, const grid& on, const window& part, double ground,
                           double height) {
    sighted_surface s;
    s.columns = part.width;
    s.rows = part.height;
    s.width = on.cell_width() * ground;
    s.height = on.cell_height() * ground;
    s.heights.resize(static_cast<std::size_t>(part.cells()));
    const double scale = band.GetScale() * height, offset = band.GetOffset() * height;
    gdal::block_job job;
    job.part = part;
    job.infinite_missing = true;
    job.read(band, GDT_Float64);
    std::vector<double> extreme(job.size().workers);
    job.run(call.part(0, 0.1, "reading"), [&](const gdal::block& b) {
        for (int row = 0; row < b.height; ++row) {
            const auto* cells = b.in<double>(0, row);
            const auto* valid = b.valid(0, row);
            auto* to = s.heights.data() + static_cast<std::ptrdiff_t>(b.row - part.row + row) * s.columns +
                       (b.column - part.column);
            auto& greatest = extreme[b.worker];
            for (int i = 0; i < b.width; ++i) {
                to[i] = valid[i] ? cells[i] * scale + offset : std::numeric_limits<double>::quiet_NaN();
                if (valid[i] && !(std::abs(to[i]) <= std::abs(greatest))) greatest = to[i];
            }
        }
    });
    report_infinite(call, job, call[dem].path);
    for (const double h : extreme)
        if (!(std::abs(h) <= max_height))
            throw error{GDALMCP_INVALID_ARGUMENT,
                        "a height of " + call[dem].path + " is " + gdal::number_text(h) + " m, more than " +
                            gdal::number_text(max_height) + " m",
                        call[z_factor] ? "check 'z_factor', which is " + gdal::number_text(*call[z_factor])
                                       : "declare the value that marks cells without data with raster_convert and "
                                         "'nodata', or check the unit of the heights"};
    return s;
}

struct view_count {
    std::int64_t visible = 0, hidden = 0, unknown = 0;
    double visible_area = 0;  // m²
};

// Writes what is seen, and counts it.
view_count look(const sighted_surface& s, const sighting& from, GDALRasterBand& to,
                const std::optional<gdal::cell_areas>& areas, const progress& report) {
    gdal::block_job job;
    job.write(to, GDT_Byte);
    job.memory = 1 << 18;  // small blocks: each takes long, and cancelling waits for the end of one
    job.workers = gdal::workers_for(static_cast<std::int64_t>(s.heights.size()) * (s.columns + s.rows));
    std::vector<view_count> counts(job.size().blocks);
    job.run(report, [&](const gdal::block& b) {
        auto& c = counts[b.index];
        for (int row = 0; row < b.height; ++row) {
            auto* seen = b.out<unsigned char>(0, row);
            see_row(s, from, b.row + row, b.column, b.width, seen);
            for (int i = 0; i < b.width; ++i) {
                c.hidden += seen[i] == static_cast<unsigned char>(sight::hidden);
                if (seen[i] != static_cast<unsigned char>(sight::visible)) continue;
                ++c.visible;
                if (areas) c.visible_area += areas->at(b.column + i + 0.5, b.row + row);
            }
        }
    });
    view_count all;
    for (const auto& c : counts) {
        all.visible += c.visible;
        all.hidden += c.hidden;
        all.visible_area += c.visible_area;
    }
    for (std::size_t i = 0; i < s.heights.size(); ++i) {
        if (!std::isnan(s.heights[i])) continue;
        const auto columns = static_cast<std::size_t>(s.columns);
        const double x = (static_cast<double>(i % columns) - from.column) * s.width,
                     y = (static_cast<double>(i / columns) - from.row) * s.height;
        all.unknown += !from.reach || std::hypot(x, y) <= *from.reach;
    }
    return all;
}

void run(gdalmcp::call& call) {
    const auto& path = call[dem].path;
    const auto opened = open_band(call, call[dem]);
    const grid& on = opened.on;
    auto& band = opened.band;
    require_real(band);
    gdalmcp_datasets::refuse_directions(path, *band.GetDataset());
    refuse_palette(path, band, "not heights", "give an elevation model");
    warn_of_undeclared_nodata(call, path, band);
    std::vector<std::string> notes;
    const double metre = ground_metres(path, on, notes);
    const double height_metre =
        call[z_factor] ? on.crs.GetLinearUnits() * *call[z_factor] : height_metres(path, on, band, notes);
    for (const auto& n : notes) call.warn(n);
    const auto at = place_of(call, path, on);

    const auto reach = call[max_distance];
    const window part = reach ? window_around(on, at, *reach / metre) : window{0, 0, on.width, on.height};
    if (static_cast<double>(part.cells()) > max_cells)
        throw error{
            GDALMCP_INVALID_ARGUMENT,
            std::to_string(part.cells()) + " cells lie within the distance, more than " + gdal::number_text(max_cells),
            "give a smaller 'max_distance', or coarser cells with raster_reproject"};
    if (part.cells() > 4'000'000) call.takes_long();
    auto surface = surface_of(call, band, on, part, metre, height_metre);
    const sighting from{at.column - part.column, at.row - part.row, call[observer_height], call[target_height], reach};
    const double ground = surface.heights[static_cast<std::size_t>(from.row) * static_cast<std::size_t>(part.width) +
                                          static_cast<std::size_t>(from.column)];
    if (std::isnan(ground))
        throw error{GDALMCP_INVALID_ARGUMENT, "the observer stands on a cell of " + path + " without data",
                    "give another point, or fill the gap with raster_fill_nodata"};
    lower_by_curvature(surface, from, call[curvature], on.crs.GetSemiMajor());

    const grid result = without_heights(part_of(on, part));
    raster_output out{call[output].path, result, GDT_Byte, 1};
    out.nodata(none);
    out.band(1).SetDescription("visible");
    const auto areas = gdal::cell_areas::of(result.crs, result.geotransform, result.width, result.height);
    const auto count = look(surface, from, out.band(1), areas, call.part(0.1, 0.95, "looking"));
    out.close();
    call.expect(output, expected_raster(result, 1, "Byte"));

    if (count.unknown > 0)
        call.warn(std::to_string(count.unknown) + " cells have no height: they hide nothing behind them");
    call.put(position, {at.x, at.y});
    call.put(ground_height, ground);
    call.put(nodata, none);
    call.put(visible_count, count.visible);
    call.put(hidden_count, count.hidden);
    call.put(unknown_count, count.unknown);
    if (areas) call.put(visible_area, count.visible_area);
    call.put(visible_share, static_cast<double>(count.visible) / static_cast<double>(count.visible + count.hidden));
    crs.put(call, result.crs);
    call.put(transform, result.affine());
    call.put(width, result.width);
    call.put(height, result.height);
}

}  // namespace

const gdalmcp::tool tool{
    {"raster_viewshed", "Viewshed",
     "The cells of an elevation model that an observer sees (1) or does not (0), by the exact line of sight to the "
     "centre of each cell. The CRS must be projected; heights and distances in feet are converted. The result is the "
     "part of the raster within 'max_distance'.",
     GDALMCP_DESTRUCTIVE | GDALMCP_IDEMPOTENT},
    run,
    {dem, observer, standard::geometry_crs, observer_height, target_height, max_distance, curvature, z_factor,
     standard::band, output, subdataset, overwrite},
    {position, ground_height, nodata, visible_count, hidden_count, unknown_count, visible_area, visible_share, crs.all,
     transform, width, height}};

}  // namespace gdalmcp_raster_more::raster_viewshed
