#include <gdalmcp/gdal_kind.hpp>

#include "arguments.hpp"
#include "focal.hpp"
#include "gdal_ground.hpp"
#include "raster/calculated_cells.hpp"
#include "raster/gdal_amounts.hpp"
#include "sliding_ranks.hpp"
#include "tools.hpp"

namespace gdalmcp_raster_more::raster_focal {
namespace {

constexpr int max_reach = 100;             // cells
constexpr std::size_t large_window = 150;  // cells; from here on sliding costs less than looking at every cell

const arg<choice> statistic{
    .name = "statistic",
    .about = "Of the window around each cell. Of class codes: majority, minority, variety (how many) or count.",
    .fallback = choice{"mean"},
    .values = {"mean", "sum", "min", "max", "range", "median", "stdev", "count", "majority", "minority", "variety",
               "weighted_sum"},
    .synonyms = {{"mode", "majority"},
                 {"std", "stdev"},
                 {"average", "mean"},
                 {"convolve", "weighted_sum"},
                 {"convolution", "weighted_sum"}}};
const arg<std::optional<std::int64_t>> side{.name = "size",
                                            .about = "Side of a square window, odd. Default 3.",
                                            .unit = "cells",
                                            .min = 1,
                                            .max = 2 * max_reach + 1};
const arg<std::optional<double>> radius{
    .name = "radius", .about = "A round window instead, centre to centre.", .unit = "m", .above = 0.0};
const arg<std::optional<std::vector<double>>> weights{
    .name = "weights",
    .about = "Of weighted_sum: n × n numbers, n odd, row by row from the upper left, not mirrored.",
    .examples = {"[0, -1, 0, -1, 4, -1, 0, -1, 0]"},
    .min_items = 1,
    .max_items = 441};

const field<std::string> statistic_used{"statistic", "As used"};
const field<std::int64_t> window_count{"window_count", "Cells of the whole window", "cells"};
const field<std::string> dtype_used{"dtype", "Data type of the result"};
const auto nodata = field<double>{"nodata", "Of cells without a result; absent when it is NaN"}.optional();

focal_statistic statistic_of(const std::string& name) {
    static const std::map<std::string, focal_statistic> all{
        {"mean", focal_statistic::mean},         {"sum", focal_statistic::sum},
        {"min", focal_statistic::min},           {"max", focal_statistic::max},
        {"range", focal_statistic::range},       {"median", focal_statistic::median},
        {"stdev", focal_statistic::stdev},       {"count", focal_statistic::count},
        {"majority", focal_statistic::majority}, {"minority", focal_statistic::minority},
        {"variety", focal_statistic::variety},   {"weighted_sum", focal_statistic::weighted_sum}};
    return all.at(name);
}

bool counts_cells(focal_statistic s) { return s == focal_statistic::count || s == focal_statistic::variety; }
bool suits_classes(focal_statistic s) {
    return counts_cells(s) || s == focal_statistic::majority || s == focal_statistic::minority;
}

void require_measurements(gdalmcp::call& call, const std::string& path, GDALRasterBand& band) {
    const auto kind = gdal::kind_of(band);
    if (kind.kind == gdal::value_kind::angle)
        call.warn("the values are angles (" + kind.why + "): figures of angles on both sides of north are wrong");
    const std::string& name = call[statistic].value;
    if (const std::string unit = band.GetUnitType(); name == "mean" && is_logarithm(unit))
        call.warn("the values are logarithms (unit " + unit + "), whose mean is not that of the amounts");
    if (kind.kind != gdal::value_kind::classes && kind.kind != gdal::value_kind::qa_bits) return;
    if (kind.certain)
        throw error{GDALMCP_INVALID_ARGUMENT,
                    path + " holds codes (" + kind.why + "), whose " + name + " means nothing",
                    "give majority, minority, variety or count"};
    call.warn("the values look like codes (" + kind.why + "), whose " + name + " means nothing");
}

std::vector<focal_neighbour> weighted_window(std::vector<double> w, const grid& on) {
    const auto n = static_cast<int>(std::lround(std::sqrt(static_cast<double>(w.size()))));
    if (static_cast<std::size_t>(n) * static_cast<std::size_t>(n) != w.size() || n % 2 == 0)
        throw error{GDALMCP_INVALID_ARGUMENT,
                    "'weights' has " + std::to_string(w.size()) + " numbers, which make no square of an odd side",
                    "give 9, 25, 49, … numbers"};
    // The upper left is the north-west, wherever the first cell lies.
    const auto row = [&](int i) { return w.begin() + static_cast<std::ptrdiff_t>(i) * n; };
    if (on.south_up())
        for (int i = 0; i < n / 2; ++i) std::swap_ranges(row(i), row(i + 1), row(n - 1 - i));
    if (on.mirrored())
        for (int i = 0; i < n; ++i) std::reverse(row(i), row(i + 1));
    return kernel(w, n, n);
}

std::vector<focal_neighbour> window_of(gdalmcp::call& call, const grid& on) {
    const bool weighted = call[statistic].value == "weighted_sum";
    if (weighted != call[weights].has_value())
        throw error{GDALMCP_INVALID_ARGUMENT,
                    weighted ? "'weights' is missing, and weighted_sum needs them"
                             : "'weights' is given with " + call[statistic].value,
                    weighted ? "give n × n numbers" : "give statistic: weighted_sum, or leave 'weights' out"};
    if (weighted + call[side].has_value() + call[radius].has_value() > 1)
        throw error{GDALMCP_INVALID_ARGUMENT, "more than one of 'size', 'radius' and 'weights' is given",
                    "give one of them"};
    if (weighted) return weighted_window(*call[weights], on);
    if (!call[radius]) {
        const auto n = static_cast<int>(call[side].value_or(3));
        if (n % 2 == 0)
            throw error{GDALMCP_INVALID_ARGUMENT, "'size' is " + std::to_string(n) + ", so no cell is in the middle",
                        "give an odd number"};
        return rectangle(n, n);
    }
    std::vector<std::string> notes;
    const double metre = ground_metres(call[uri].path, on, notes);
    for (const auto& n : notes) call.warn(n);
    const double height = on.cell_height() * metre, width = on.cell_width() * metre;
    if (*call[radius] / std::min(height, width) > max_reach)
        throw error{GDALMCP_INVALID_ARGUMENT,
                    "'radius' is " + gdal::number_text(*call[radius]) + " m, more than " + std::to_string(max_reach) +
                        " cells of " + gdal::coordinate_text(std::min(height, width)) + " m",
                    "give a smaller one, or coarser cells with raster_reproject"};
    auto window = circle(*call[radius], height, width);
    if (window.size() == 1) call.warn("the window holds one cell: no other is within 'radius'");
    return window;
}

// How the result is stored.
struct result_form {
    GDALDataType type = GDT_Float32;
    std::optional<double> none{};  // nullopt: every cell has a result
    bool stored = false;           // values are as stored, without scale and offset
};

result_form form_of(focal_statistic s, GDALDataset& source, GDALRasterBand& band, const std::string& path) {
    const bool scaled = band.GetScale() != 1 || band.GetOffset() != 0;
    if (counts_cells(s)) return {GDT_UInt16, 65535.0, true};
    const bool picks = s == focal_statistic::majority || s == focal_statistic::minority ||
                       ((s == focal_statistic::min || s == focal_statistic::max) && !scaled);
    if (picks) return {band.GetRasterDataType(), missing_value(source, band, path), true};
    const bool single = fits_float32(band.GetRasterDataType()) && s != focal_statistic::sum;
    return {single ? GDT_Float32 : GDT_Float64, std::numeric_limits<double>::quiet_NaN(), false};
}

// Whether the result of heights is one.
bool of_heights(focal_statistic s) {
    return !counts_cells(s) && s != focal_statistic::sum && s != focal_statistic::range && s != focal_statistic::stdev;
}

void run(gdalmcp::call& call) {
    const auto& path = call[uri].path;
    const auto opened = open_band(call, call[uri]);
    tell_lost_location(call, call[uri].path, *opened.file);
    const grid& on = opened.on;
    auto& band = opened.band;
    require_real(band);
    if (const auto type = band.GetRasterDataType(); whole_numbers(type) && GDALGetDataTypeSizeBytes(type) > 4)
        throw error{GDALMCP_UNSUPPORTED, path + " holds " + dtype_name(type) + " values, wider than 32 bits",
                    "convert it with raster_convert and dtype Float64 or Int32"};
    const auto what = statistic_of(call[statistic].value);
    warn_of_undeclared_nodata(call, path, band);
    if (!suits_classes(what)) {
        require_measurements(call, path, band);
        if (what == focal_statistic::sum) gdalmcp_raster::warn_of_sum_of_levels(call, path, band);
    }
    const auto window = window_of(call, on);
    const auto form = form_of(what, *opened.file, band, path);
    const double scale = form.stored ? 1 : band.GetScale(), offset = form.stored ? 0 : band.GetOffset();

    const grid made = of_heights(what) ? on : without_heights(on);
    raster_output out{call[output].path, made, form.type, 1};
    if (form.none) out.nodata(*form.none);
    if (form.stored && !counts_cells(what)) {
        copy_meaning(band, out.band(1));
        tell_lost_table(call, path, band, out.band(1));
    } else {
        out.band(1).SetDescription(call[statistic].value.c_str());
        if (of_heights(what)) out.band(1).SetUnitType(band.GetUnitType());
    }
    gdal::block_job job;
    job.halo = reach(window);
    job.infinite_missing = true;
    job.read(band, GDT_Float64);
    job.write(out.band(1), GDT_Float64);
    const bool large = window.size() >= large_window;
    // A block with a large window takes long, and cancelling waits for its end.
    if (large) job.memory = std::int64_t{1} << 24;
    if (static_cast<double>(window.size()) * on.width * on.height > 1e10) call.takes_long();
    std::vector<focal_scratch> scratch(job.size().workers);
    std::vector<sliding_ranks> ranks(job.size().workers, sliding_ranks{window});
    job.run(call.part(0, 0.85, call[statistic].value.c_str()), [&](const gdal::block& b) {
        const auto columns = static_cast<std::size_t>(b.width + 2 * job.halo),
                   halo = static_cast<std::size_t>(job.halo);
        const auto cells_from = [&](int row, int column) {
            return focal_cells{b.in<double>(0, row) + column, b.valid(0, row) + column,
                               static_cast<std::ptrdiff_t>(columns), scale, offset};
        };
        auto& sliding = ranks[b.worker];
        if (large)
            sliding.rank(cells_from(-job.halo, -job.halo), columns * (static_cast<std::size_t>(b.height) + 2 * halo));
        const bool slides = large && sliding.suits(what);
        const auto count = static_cast<std::size_t>(b.width);
        const double none = form.none.value_or(0);
        for (int row = 0; row < b.height; ++row) {
            auto* to = b.out<double>(0, row);
            if (slides)
                sliding.slide(what, columns * (static_cast<std::size_t>(row) + halo) + halo, count, none, to);
            else
                focal(what, window, cells_from(row, 0), count, none, to, scratch[b.worker]);
        }
    });
    report_infinite(call, job, path);
    const auto figures = figures_of(out.band(1), call.part(0.85, 0.95));
    out.close();
    call.expect(output, expected_raster(made, 1, dtype_name(form.type)));

    call.put(statistic_used, call[statistic].value);
    call.put(window_count, static_cast<std::int64_t>(window.size()));
    call.put(dtype_used, dtype_name(form.type));
    if (form.none && !std::isnan(*form.none)) call.put(nodata, *form.none);
    // A mean of codes means nothing.
    result_figures::put(call, *figures, suits_classes(what) && !counts_cells(what));
    put_grid(call, made);
}

}  // namespace

const gdalmcp::tool tool{
    {"raster_focal", "Focal statistics",
     "A statistic of the cells in a window around each cell: smoothing, edges, local variety. Neighbours without data "
     "or beyond the raster are left out (weighted_sum then has no result); cells without data stay so.",
     GDALMCP_DESTRUCTIVE | GDALMCP_IDEMPOTENT},
    run,
    {uri, statistic, side, radius, weights, standard::band, output, subdataset, overwrite},
    {statistic_used, window_count, dtype_used, nodata, result_figures::valid_count, result_figures::min,
     result_figures::max, result_figures::mean, result_figures::std_field, crs.all, width, height}};

}  // namespace gdalmcp_raster_more::raster_focal
