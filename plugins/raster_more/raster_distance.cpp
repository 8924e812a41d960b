#include "arguments.hpp"
#include "gdal_algorithms.hpp"
#include "gdal_ground.hpp"
#include "tools.hpp"

namespace gdalmcp_raster_more::raster_distance {
namespace {

constexpr double none = -9999;

const arg<std::optional<std::vector<double>>> values{
    .name = "values",
    .about = "Cells with these values are the targets. Default: all but 0 and nodata.",
    .min_items = 1,
    .max_items = 1000,
    .or_single = true};
const arg<choice> unit{.name = "unit",
                       .about = "m, on the ground, or cells.",
                       .fallback = choice{"m"},
                       .values = {"m", "cells"},
                       .synonyms = {{"metre", "m"}, {"meters", "m"}, {"metres", "m"}, {"pixels", "cells"}}};
const arg<std::optional<double>> max_distance{
    .name = "max_distance", .about = "In 'unit'; farther cells get nodata. Default: no limit.", .above = 0.0};

const field<std::string> unit_used{"unit", "Of the distances"};
const field<double> nodata{"nodata", "Of cells beyond max_distance"};
const field<std::int64_t> target_count{"target_count", "Targets, at distance 0", "cells"};
const field<std::int64_t> beyond_count{"beyond_count", "Cells beyond max_distance", "cells"};
const auto side_used = field<double>{"cell_size_m", "Side of a cell on the ground, as used", "m"}.optional();

// Writes 1 where a cell is a target, else 0. Returns how many are.
std::int64_t mark_targets(gdalmcp::call& call, GDALRasterBand& band, std::optional<std::vector<double>> wanted,
                          GDALRasterBand& to) {
    if (wanted) std::sort(wanted->begin(), wanted->end());
    const double scale = band.GetScale(), offset = band.GetOffset();
    gdal::block_job job;
    job.infinite_missing = true;
    job.read(band, GDT_Float64);
    job.write(to, GDT_Byte);
    std::vector<std::int64_t> found(job.size().workers);
    job.run(call.part(0, 0.2, "targets"), [&](const gdal::block& b) {
        const auto* cells = b.in<double>(0, 0);
        const auto* valid = b.valid(0, 0);
        auto* target = b.out<unsigned char>(0, 0);
        for (std::int64_t i = 0; i < b.cells(); ++i) {
            const double v = cells[i] * scale + offset;
            target[i] = valid[i] && (wanted ? std::binary_search(wanted->begin(), wanted->end(), v) : v != 0);
            found[b.worker] += target[i];
        }
    });
    report_infinite(call, job, call[uri].path);
    std::int64_t all = 0;
    for (const auto n : found) all += n;
    return all;
}

std::string list_text(const std::vector<double>& all) {
    std::string text;
    for (std::size_t i = 0; i < std::min<std::size_t>(all.size(), 10); ++i)
        text += (i ? ", " : "") + gdal::number_text(all[i]);
    return text + (all.size() > 10 ? ", …" : "");
}

void run(gdalmcp::call& call) {
    const auto& path = call[uri].path;
    const auto opened = open_band(call, call[uri]);
    tell_lost_location(call, path, *opened.file);
    const grid on = without_heights(opened.on);
    auto& band = opened.band;
    require_real(band);
    const bool metres = call[unit].value == "m";
    std::vector<std::string> notes;
    double side = 1;
    if (metres) {
        warn_of_place(call, path, on);
        const double metre = ground_metres(path, on, notes);
        side = square_side(path, on, notes) * metre;
    }
    for (const auto& n : notes) call.warn(n);

    grid plane;
    plane.width = on.width;
    plane.height = on.height;
    plane.georeferenced = true;
    plane.geotransform = {0, side, 0, 0, 0, -side};
    raster_output targets{call.new_scratch("targets", ".tif"), plane, GDT_Byte, 1};
    const auto wanted = call[values];
    const auto count = mark_targets(call, band, wanted, targets.band(1));
    if (count == 0)
        throw error{GDALMCP_INVALID_ARGUMENT,
                    wanted ? "no cell of band " + std::to_string(call[standard::band]) + " of " + path +
                                 " has a value of 'values': " + list_text(*wanted)
                           : "every cell of band " + std::to_string(call[standard::band]) + " of " + path +
                                 " is 0 or nodata: there is no target",
                    "look at its values with raster_stats and classes: true"};

    raster_output out{call[output].path, on, GDT_Float32, 1};
    out.nodata(none);
    out.band(1).SetDescription("distance");
    out.band(1).SetUnitType(call[unit].value.c_str());
    distance_to_targets(targets.band(1), out.band(1), call[max_distance], none, call.part(0.2, 0.85, "distances"));
    const auto figures = figures_of(out.band(1), call.part(0.85, 0.95));
    out.close();
    call.expect(output, expected_raster(on, 1, "Float32"));

    call.put(unit_used, call[unit].value);
    call.put(nodata, none);
    call.put(target_count, count);
    call.put(beyond_count, static_cast<std::int64_t>(on.width) * on.height - figures->counts().valid);
    result_figures::put(call, *figures);
    if (metres) call.put(side_used, side);
    put_grid(call, on);
}

}  // namespace

const gdalmcp::tool tool{
    {"raster_distance", "Distance to cells",
     "For each cell the straight distance from its centre to that of the nearest target cell, as gdal_proximity "
     "computes it (in a few cells a fraction of a cell too far), in metres on the ground. Needs square cells in a "
     "projected CRS (or unit: cells). Cells without data are no targets, and get a distance as well.",
     GDALMCP_DESTRUCTIVE | GDALMCP_IDEMPOTENT},
    run,
    {uri, values, unit, max_distance, standard::band, output, subdataset, overwrite},
    {unit_used, nodata, target_count, result_figures::valid_count, beyond_count, result_figures::min,
     result_figures::max, result_figures::mean, result_figures::std_field, side_used, crs.all, width, height}};

}  // namespace gdalmcp_raster_more::raster_distance
