#include <algorithm>
#include <cmath>

#include "aggregation/gdal_place_layer.hpp"
#include "datasets/gdal_output.hpp"
#include "kernel_share.hpp"
#include "ogr_density_points.hpp"
#include "raster/arguments.hpp"
#include "raster/gdal_block_figures.hpp"
#include "raster/gdal_zone_mask.hpp"
#include "raster/result_figures.hpp"
#include "tools.hpp"
#include "vector/ogr_whole_values.hpp"

namespace gdalmcp_aggregation_more::aggregate_density {
namespace {

using namespace gdalmcp_raster;
using gdalmcp::arg;
using gdalmcp::choice;
using gdalmcp::error;
using gdalmcp::field;
namespace gdal = gdalmcp::gdal;
namespace standard = gdalmcp::standard;

constexpr double most_cells = 1e8, most_corrected = 1e7;
constexpr double most_additions = 2e11;  // some minutes

const arg<std::optional<std::string>> weight{.name = "weight",
                                             .about = "Numeric field; a point counts this often. Default: once."};
const arg<std::optional<double>> bandwidth{
    .name = "bandwidth",
    .about = "Radius of quartic and uniform, standard deviation of gaussian. Default: normal reference rule, stated.",
    .unit = "m",
    .above = 0.0};
const arg<choice> kernel{.name = "kernel",
                         .about = "Shape of each point's spread.",
                         .fallback = choice{"quartic"},
                         .values = {"quartic", "gaussian", "uniform"},
                         .synonyms = {{"biweight", "quartic"}, {"normal", "gaussian"}, {"disc", "uniform"}}};
const arg<std::optional<double>> cell{
    .name = "cell", .about = "Cell size. Default: about a tenth of the bandwidth.", .unit = "m", .above = 0.0};
const arg<bool> edge_correction{
    .name = "edge_correction",
    .about = "With 'geometry': divide by the share of the kernel inside it; points outside do not count.",
    .fallback = false};

const field<double> bandwidth_used{"bandwidth_m", "As used", "m"};
const field<std::string> rule{"bandwidth_rule", "given, or how it was found"};
const field<double> cell_used{"cell_m", "Cell size", "m"};
const field<std::int64_t> point_count{"point_count", "Points that count", "points"};
const auto total = field<double>{"weight_total", "Sum of their weights"}.measured();
const field<double> integral{"integral",
                             "Density times area, over all cells: close to weight_total where the grid holds all"};
const field<std::int64_t> left_out{"left_out_count", "Features without a point or weight", "features"};

kernel_shape shape_of(const std::string& name) {
    return name == "gaussian"  ? kernel_shape::gaussian
           : name == "uniform" ? kernel_shape::uniform
                               : kernel_shape::quartic;
}

// The largest of 1, 2, 5 times a power of ten that is not above `v`.
double round_below(double v) {
    const double power = std::pow(10, std::floor(std::log10(v)));
    return (v >= 5 * power ? 5 : v >= 2 * power ? 2 : 1) * power;
}

// The part of the plane to compute, and which of its cells.
struct study_area {
    grid on;
    std::optional<zone_mask> inside;
    std::vector<unsigned char> mask;  // of all cells; empty: all count
};

grid grid_over(const OGREnvelope& box, double step, const OGRSpatialReference& crs) {
    grid on;
    on.crs = crs;
    on.georeferenced = true;
    const double left = std::floor(box.MinX / step) * step, top = std::ceil(box.MaxY / step) * step;
    const double columns = std::max(1.0, std::ceil((box.MaxX - left) / step)),
                 rows = std::max(1.0, std::ceil((top - box.MinY) / step));
    if (columns * rows > most_cells)
        throw error{GDALMCP_INVALID_ARGUMENT,
                    "cells of " + gdal::number_text(step) + " m over " + gdal::extent_text(box, crs) + " are " +
                        gdal::number_text(columns * rows) + ", more than 1e8",
                    "give a larger 'cell', or 'geometry' for a part"};
    on.width = static_cast<int>(columns);
    on.height = static_cast<int>(rows);
    on.geotransform = {left, step, 0, top, 0, -step};
    return on;
}

// The whole mask of a zone on its grid.
std::vector<unsigned char> mask_of(const zone_mask& zone, const grid& on) {
    std::vector<unsigned char> all(static_cast<std::size_t>(on.width) * static_cast<std::size_t>(on.height)), rows;
    const auto& w = zone.bounds();
    for (int row = 0; row < w.height; ++row) {
        zone.read(row, 1, rows);
        std::copy_n(rows.begin(), w.width,
                    all.begin() + static_cast<std::ptrdiff_t>(w.row + row) * on.width + w.column);
    }
    return all;
}

// Where a density is wanted: inside `geometry`, else around the points, as far as their kernels reach.
study_area area_of(gdalmcp::call& call, const OGRGeometry* area, const density_points& all, double step, double reach,
                   const OGRSpatialReference& crs) {
    OGREnvelope box = all.box;
    if (area) {
        area->getEnvelope(&box);
    } else {
        box.MinX -= reach, box.MaxX += reach, box.MinY -= reach, box.MaxY += reach;
    }
    study_area a{grid_over(box, step, crs), {}, {}};
    if (!area) return a;
    a.inside.emplace(*area, a.on, false);
    a.mask = mask_of(*a.inside, a.on);
    if (call[edge_correction] && static_cast<double>(a.mask.size()) > most_corrected)
        throw error{GDALMCP_INVALID_ARGUMENT,
                    "edges of " + std::to_string(a.mask.size()) + " cells are too many to correct: at most 1e7",
                    "give a larger 'cell'"};
    return a;
}

void check_work(double points, double reach, double step, const char* way_out) {
    const double radius = reach / step, additions = points * 3.14159 * radius * radius;
    if (additions > most_additions)
        throw error{GDALMCP_INVALID_ARGUMENT,
                    "kernels that reach " + gdal::number_text(std::round(radius)) + " cells around " +
                        gdal::number_text(points) + " places take " + gdal::number_text(std::round(additions / 1e9)) +
                        "e9 additions, more than 200e9",
                    way_out};
}

double write(gdalmcp::call& call, const study_area& a, const point_density& density, const kernel_share* inside) {
    raster_output out{call[standard::raster_output].path, a.on, GDT_Float32, 1};
    if (!a.mask.empty()) out.nodata(std::numeric_limits<double>::quiet_NaN());
    out.band(1).SetDescription("density");
    out.band(1).SetUnitType("1/km2");
    gdal::block_job job;
    job.memory = 1 << 23;  // small blocks: a cell takes long
    job.write(out.band(1), GDT_Float64);
    std::vector<double> sums(job.size().blocks);
    const double step = a.on.geotransform[1];
    job.run(call.part(0.2, 0.9, "spreading"), [&](const gdal::block& b) {
        const density_window w{a.on.geotransform[0] + (b.column + 0.5) * step,
                               a.on.geotransform[3] - (b.row + 0.5) * step, step, b.width, b.height};
        density.fill(w, b.out<double>(0, 0));
        std::vector<double> share(inside ? static_cast<std::size_t>(b.cells()) : 0);
        if (inside)
            inside->fill({static_cast<std::size_t>(b.row), static_cast<std::size_t>(b.column),
                          static_cast<std::size_t>(b.height), static_cast<std::size_t>(b.width)},
                         share.data());
        for (std::size_t k = 0; k < static_cast<std::size_t>(b.cells()); ++k) {
            double& value = b.out<double>(0, 0)[k];
            const auto at = (static_cast<std::size_t>(b.row) + k / static_cast<std::size_t>(b.width)) *
                                static_cast<std::size_t>(a.on.width) +
                            static_cast<std::size_t>(b.column) + k % static_cast<std::size_t>(b.width);
            if (!a.mask.empty() && !a.mask[at]) {
                value = std::numeric_limits<double>::quiet_NaN();
                continue;
            }
            if (inside) value /= share[k];
            sums[b.index] += value;
            value *= 1e6;
        }
    });
    double sum = 0;
    for (const double s : sums) sum += s;
    const auto figures = figures_of(out.band(1), call.part(0.9, 0.95, "measuring"));
    out.close();
    call.expect(standard::raster_output, expected_raster(a.on, 1, "Float32"));
    result_figures::put(call, *figures);
    return sum * step * step;
}

double bandwidth_of(gdalmcp::call& call, const std::vector<weighted_point>& points) {
    if (const auto given = call[bandwidth]) {
        call.put(rule, std::string{"given"});
        return *given;
    }
    const double found = reference_bandwidth(points, shape_of(call[kernel].value));
    if (!(found > 0))
        throw error{GDALMCP_INVALID_ARGUMENT, "all points share one place, from which no bandwidth follows",
                    "give 'bandwidth' in metres"};
    call.put(rule, std::string{"normal reference rule (Scott 1992), which smooths clusters away"});
    return found;
}

double cell_of(gdalmcp::call& call, double h, const OGREnvelope& box) {
    if (const auto given = call[cell]) {
        if (*given > h)
            call.warn("cells of " + gdal::number_text(*given) + " m are larger than the bandwidth, " +
                      gdal::number_text(h) + " m: the surface misses points between their centres");
        return *given;
    }
    const double side = std::max(box.MaxX - box.MinX, box.MaxY - box.MinY);
    return std::max(round_below(h / 10), std::min(round_below(side / 2000), round_below(h / 3)));
}

void run(gdalmcp::call& call) {
    if (call[edge_correction] && !call[standard::geometry])
        throw error{GDALMCP_INVALID_ARGUMENT, "'edge_correction' is given without 'geometry', so no edge is known",
                    "give the area that was searched for points as 'geometry'"};
    point_question question{call};
    std::optional<int> field;
    if (const auto name = call[weight]) field = gdalmcp_vector::number_field(question.layer(), *name);
    auto all = read_points(question, field, call.part(0, 0.2, "reading"));
    all.marks.tell(call, gdalmcp_vector::marks_left_out::where);
    all.marks.tell_directions(call, "a density weighted by them");
    if (const auto summed = call[weight]) gdalmcp_vector::warn_of_sum_of_rates(call, *summed);

    const double h = bandwidth_of(call, all.points);
    const auto shape = shape_of(call[kernel].value);
    const double reach = h * kernel_reach(shape), step = cell_of(call, h, all.box);
    const auto on = area_of(call, question.area(), all, step, h * std::min(kernel_reach(shape), 3.0), question.plane());
    if (call[edge_correction]) {
        keep_inside(all, *question.area());
        if (all.points.empty())
            throw error{GDALMCP_NOT_FOUND, "no point lies inside 'geometry'", "leave out 'edge_correction'"};
    }
    const auto count = static_cast<std::int64_t>(all.points.size());
    check_work(static_cast<double>(count), reach, step, "give a larger 'cell' or a smaller 'bandwidth'");
    const point_density density{std::move(all.points), shape, h};
    std::optional<kernel_share> inside;
    if (call[edge_correction]) {
        inside.emplace(gdalmcp_aggregation::zone_grid{"", on.on}.to_grid(*question.area()), step, shape, h);
        check_work(static_cast<double>(std::count(on.mask.begin(), on.mask.end(), 1)), reach, inside->part(),
                   "give a larger 'cell', or leave out 'edge_correction'");
    }
    call.put(integral, write(call, on, density, inside ? &*inside : nullptr));
    call.put(bandwidth_used, h);
    call.put(cell_used, step);
    call.put(point_count, count);
    call.put(total, all.weight);
    call.put(left_out, all.left_out);
    if (all.left_out > 0) call.warn(std::to_string(all.left_out) + " features without a point or weight left out");
    put_grid(call, on.on);
}

}  // namespace

const gdalmcp::tool tool{
    {"aggregate_density", "Density of points",
     "Kernel density of points per km², on a grid in metres: the layer's own CRS, or an equal-area one around the "
     "points.",
     GDALMCP_DESTRUCTIVE | GDALMCP_IDEMPOTENT},
    run,
    {points_uri, standard::layer, where, weight, bandwidth, kernel, cell, standard::geometry, standard::geometry_crs,
     edge_correction, standard::allow_ballpark, standard::raster_output, standard::overwrite},
    {bandwidth_used, rule, cell_used, point_count, total, integral, left_out, result_figures::valid_count,
     result_figures::min, result_figures::max, result_figures::mean, result_figures::std_field, crs.all, width,
     height}};

}  // namespace gdalmcp_aggregation_more::aggregate_density
