// aggregate_temporal: one value a cell from rasters of one place at several times.
#include <gdalmcp/gdal_class_names.hpp>
#include <gdalmcp/gdal_kind.hpp>

#include <cmath>

#include "datasets/gdal_band_label.hpp"
#include "datasets/gdal_class_table.hpp"
#include "gdal_composition.hpp"
#include "gdal_observation_arguments.hpp"
#include "gdal_observed_values.hpp"
#include "gdal_result_form.hpp"
#include "raster/arguments.hpp"
#include "raster/gdal_cell_type.hpp"
#include "raster/gdal_expression_doubts.hpp"
#include "raster/result_figures.hpp"
#include "tools.hpp"
#include "trend.hpp"

namespace gdalmcp_temporal::aggregate_temporal {
namespace {

using namespace gdalmcp_datasets;
using gdalmcp::arg;
using gdalmcp::choice;
using gdalmcp::error;
using gdalmcp::field;
namespace gdal = gdalmcp::gdal;
namespace shared = gdalmcp_raster;
namespace standard = gdalmcp::standard;

constexpr std::size_t max_rows = 100;  // of the table in the result
constexpr double days_of_a_year = 365.25;

const arg<choice> what{
    .name = "statistic",
    .about = "medoid: the whole observation nearest to all others; trend: Theil-Sen slope per year, Mann-Kendall p.",
    .values = {"max", "min", "mean", "median", "percentile", "count", "last_valid", "medoid", "trend"},
    .synonyms = {{"maximum", "max"},
                 {"minimum", "min"},
                 {"average", "mean"},
                 {"avg", "mean"},
                 {"quantile", "percentile"},
                 {"latest", "last_valid"},
                 {"last", "last_valid"},
                 {"theil_sen", "trend"},
                 {"mann_kendall", "trend"},
                 {"slope", "trend"}}};
const arg<std::optional<double>> percent{.name = "percentile", .about = "Which.", .min = 0, .max = 100};
const field<std::int64_t> observation_count{"observation_count", "Used"};
const field<std::string> path{"path", "File"};
const auto band_of_stack = field<std::int64_t>{"band", "Of a stack"}.optional();
const auto date = field<std::string>{"date", "UTC; absent: unknown"}.optional();
const auto date_from = field<std::string>{"date_from", "given, band, file name or metadata item"}.optional();
const gdalmcp::table observations{
    "observations", "The first 100, by time if all are dated", {path, band_of_stack, date, date_from}};
const field<std::string> result_name{"name", "Of the result's band"};
const field<std::int64_t> least_seen{"observations_min", "A cell"}, most_seen{"observations_max", "A cell"};
const field<double> middle_seen{"observations_median", "A cell"};
const field<std::int64_t> never_seen{"unobserved_count", "With none", "cells"};
const gdalmcp::table results{
    "bands",
    "Of the result. A trend has cells with 4 observations or more; its years have 365.25 days, and a date that is only "
    "a year or a month is its first day",
    {result_name, shared::result_figures::valid_count, shared::result_figures::min, shared::result_figures::max,
     shared::result_figures::mean, least_seen, middle_seen, most_seen, never_seen}};
const auto masked_count =
    field<std::int64_t>{"masked_count", "Values 'mask' took out, over all times", "cells"}.optional();
const field<std::string> dtype{"dtype", "Of the result"};
const auto nodata = field<double>{"nodata", "Absent: NaN or none"}.optional();

recipe recipe_of(gdalmcp::call& call, const observation_set& set, statistic s) {
    recipe r{s, 50, {}};
    const auto wanted = call[percent];
    if (wanted.has_value() != (s == statistic::percentile))
        throw error{
            GDALMCP_INVALID_ARGUMENT,
            wanted ? "'percentile' is given, but 'statistic' is " + call[what].value
                   : std::string{"'statistic' is percentile, but 'percentile' does not say which"},
            wanted ? "leave it out, or give \"statistic\": \"percentile\"" : "give 'percentile', for example 90"};
    if (wanted) r.percent = *wanted;
    if (s == statistic::trend) {
        if (set.all.size() < least_for_trend)
            throw error{GDALMCP_INVALID_ARGUMENT,
                        "a trend needs " + std::to_string(least_for_trend) + " observations, but there are " +
                            std::to_string(set.all.size()) + ", from " + set.name(set.all.front()) + " to " +
                            set.name(set.all.back()),
                        "give more dates; the difference of two is a matter for raster_calc or raster_compare"};
        for (const auto& o : set.all) r.years.push_back(o.date->days / days_of_a_year);
        constexpr double some_seasons = 2;
        if (const double span = r.years.back() - r.years.front(); span < some_seasons)
            call.warn("the observations span " + gdalmcp::gdal::number_text(std::round(span * 12)) +
                      " months: a slope per year from them is that of the season as much as of the years");
        if (set.all.size() < 10)
            call.warn("p of " + std::to_string(set.all.size()) +
                      " observations is rough: the normal approximation is meant for 10 or more");
    }
    return r;
}

// The first observation that declares a scale where another of the same type declares none, or the reverse.
void warn_of_scales(gdalmcp::call& call, const observation_set& set, statistic s) {
    if (s == statistic::count) return;
    const auto& first = set.all.front();
    for (const auto& o : set.all) {
        auto &a = set.own_band(first, 0), &b = set.own_band(o, 0);
        if ((a.GetScale() != 1 || a.GetOffset() != 0) == (b.GetScale() != 1 || b.GetOffset() != 0)) continue;
        shared::warn_of_one_scale(call, set.name(first), a, set.name(o), b);
        return;
    }
}

// Their order in time does not decide between two observations of one date.
void warn_of_ties(gdalmcp::call& call, const observation_set& set) {
    std::size_t ties = 0;
    std::string first;
    for (std::size_t i = 1; i < set.all.size(); ++i) {
        const auto &a = set.all[i - 1], &b = set.all[i];
        if (a.date->days != b.date->days) continue;
        if (ties++ == 0) first = set.name(a) + " and " + set.name(b) + " (" + b.date->text + ")";
    }
    if (ties > 0)
        call.warn(std::to_string(ties) + (ties == 1 ? " observation has" : " observations have") +
                  " the date of another, the first pair being " + first +
                  ": where both have a value, that of the one named later in 'uris' is taken; give more exact 'dates' "
                  "to decide otherwise");
}

// Bytes of what is looked at in a file, at most 36 windows of 256 x 256 cells: in whole blocks, and of all bands, which
// may be stored together.
std::int64_t bytes_looked_at(const observation_set& set) {
    constexpr std::int64_t side = 256, windows = 36;
    const auto whole = [](std::int64_t block) { return (side + block - 1) / block * block; };
    std::int64_t most = 0;
    for (const auto& f : set.files) {
        std::int64_t bytes = 0;
        for (auto* band : f.common().GetBands()) {
            int columns = 1, rows = 1;
            band->GetBlockSize(&columns, &rows);
            bytes += windows * whole(columns) * whole(rows) * GDALGetDataTypeSizeBytes(band->GetRasterDataType());
        }
        most = std::max(most, bytes);
    }
    return most;
}

void warn_of_values(gdalmcp::call& call, const observation_set& set, statistic s) {
    const gdal::small_block_cache of_one_file{bytes_looked_at(set)};
    warn_of_undeclared_nodata(call, set);
    // Sums and ranks of codes mean nothing, and plain means of directions neither.
    if (s == statistic::count) return;
    warn_of_kinds(call, set,
                  {s != statistic::last_valid, call[what].value + " of them means nothing; last_valid and count do"});
}

void warn_of_order(gdalmcp::call& call, const observation_set& set) {
    const auto bands_of = [&](const observation& o) {
        return bands_in_order{set.name(o), *set.files[o.file].dataset, o.bands};
    };
    for (std::size_t k = 1; !set.stack && k < set.all.size(); ++k)
        if (const auto doubt = doubt_of_order(bands_of(set.all.front()), bands_of(set.all[k]), true); !doubt.empty())
            return call.warn(doubt);
}

// The first code that names one class in the first observation and another one in a later.
void warn_of_legends(gdalmcp::call& call, const observation_set& set) {
    const auto& first = set.all.front();
    std::string beyond;  // an observation that names other codes than the first
    for (std::size_t i = 0; i < first.bands.size(); ++i) {
        const gdal::class_names expected{set.own_band(first, i)};
        for (const auto& o : set.all) {
            const gdal::class_names names{set.own_band(o, i)};
            if (const auto text = expected.doubt(set.name(first), names, set.name(o)); !text.empty())
                return call.warn(text);
            for (const auto& [code, name] : names.all())
                if (expected.of(code).empty() && !expected.all().empty() && beyond.empty()) beyond = set.name(o);
        }
    }
    if (!beyond.empty())
        call.warn(beyond + " names classes that " + set.name(first) +
                  " does not, and the result has the names of the latter alone");
}

void put_masked(gdalmcp::call& call, const composition_figures& figures, const quality_bands& quality,
                const observation_set& set) {
    call.put(masked_count, figures.excluded + figures.without_quality);
    warn_of_quality(call, quality, set, static_cast<double>(figures.excluded),
                    static_cast<double>(figures.without_quality));
}

std::string title_of(const observation_set& set, const std::string& name, std::size_t band) {
    const auto& first = set.all.front();
    std::string own = set.stack ? "" : set.band(first, band).GetDescription();
    if (own.empty() && first.bands.size() > 1) own = "band " + std::to_string(first.bands[band]);
    return own.empty() ? name : own + " " + name;
}

void describe(raster_output& out, const observation_set& set, const result_form& form, statistic s,
              const std::string& name) {
    int to = 1;
    for (std::size_t i = 0; i < set.all.front().bands.size(); ++i) {
        auto& from = set.band(set.all.front(), i);
        auto& band = out.band(to);
        if (form.kept) copy_meaning(from, band, {true, out.dataset().GetRasterCount() == 1, true});
        if (auto& own = set.own_band(set.all.front(), i); form.kept && !gdal::declares_classes(band))
            keep_classes(own, band);  // an attribute table, which aligned copies do not have
        const std::string unit = from.GetUnitType();
        if (s != statistic::count && s != statistic::trend && !unit.empty()) band.SetUnitType(unit.c_str());
        if (s == statistic::trend) {
            if (!unit.empty()) band.SetUnitType((unit + "/year").c_str());
            band.SetDescription(title_of(set, "slope per year", i).c_str());
            out.band(to + 1).SetDescription(title_of(set, "p", i).c_str());
        } else {
            band.SetDescription(title_of(set, name, i).c_str());
        }
        to += static_cast<int>(outputs_of(s));
    }
    if (s != statistic::count) out.nodata(form.nodata);
}

void put_observations(gdalmcp::call& call, const observation_set& set) {
    call.put(observation_count, static_cast<std::int64_t>(set.all.size()));
    warn_of_doubtful_dates(call, set);
    call.begin(observations);
    std::size_t shown = 0;
    for (const auto& o : set.all) {
        if (++shown > max_rows) continue;
        auto row = call.add(observations);
        row.put(path, set.files[o.file].path);
        if (set.stack) row.put(band_of_stack, o.bands.front());
        if (!o.date) continue;
        row.put(date, o.date->text);
        row.put(date_from, o.date_from);
    }
}

// The value of the middle cell, or half way between the two.
double median_count(const std::vector<std::int64_t>& cells) {
    std::int64_t all = 0;
    for (const auto n : cells) all += n;
    const auto at = [&](std::int64_t rank) {
        std::size_t n = 0;
        for (std::int64_t before = cells[0]; before <= rank; before += cells[++n]) {}
        return static_cast<double>(n);
    };
    return (at((all - 1) / 2) + at(all / 2)) / 2;
}

void put_results(gdalmcp::call& call, raster_output& out, const composition_figures& figures, statistic s) {
    call.begin(results);
    for (std::size_t i = 0; i < figures.results.size(); ++i) {
        const auto& cells = figures.cells_by_count[i / outputs_of(s)];
        auto row = call.add(results);
        row.put(result_name, out.band(static_cast<int>(i) + 1).GetDescription());
        const auto& made = *figures.results[i];
        row.put(shared::result_figures::valid_count, made.counts().valid);
        if (made.counts().valid > 0) {
            row.put(shared::result_figures::min, made.min());
            row.put(shared::result_figures::max, made.max());
            row.put(shared::result_figures::mean, made.mean());
        }
        const auto seen = [](std::int64_t n) { return n > 0; };
        row.put(least_seen, std::find_if(cells.begin(), cells.end(), seen) - cells.begin());
        row.put(middle_seen, median_count(cells));
        row.put(most_seen, cells.rend() - std::find_if(cells.rbegin(), cells.rend(), seen) - 1);
        row.put(never_seen, cells.front());
        if (made.counts().valid == 0)
            call.warn("no cell of '" + std::string{out.band(static_cast<int>(i) + 1).GetDescription()} +
                      "' has a value");
    }
}

void run(gdalmcp::call& call) {
    const auto s = statistic_named(call[what].value);
    auto [set, quality] = open_observations_of(call);
    order_by_date(set, needs_dates(s), s == statistic::trend);
    const auto how = recipe_of(call, set, s);
    std::vector<observation_set*> sets{&set};
    if (quality && quality->rasters()) sets.push_back(quality->rasters());
    const grid on = bring_together(sets, alignment_of(call), [&](const std::string& text) { call.warn(text); });
    if (on.crs.IsEmpty())
        call.warn(set.files.front().path +
                  " states no CRS (a netCDF variable without grid_mapping has none), and the result has none: state it "
                  "with raster_reproject and 'src_crs'");
    const auto form = result_form_of(set, s);
    for (const auto& line : form.said) call.say(line);
    const auto& first = set.all.front();
    for (std::size_t i = 0; i < first.bands.size(); ++i)
        tell_ignored_scale(call, set.files[first.file].path, set.band(first, i));
    warn_of_values(call, set, s);
    if (s != statistic::count) warn_of_missing_unit(call, set);
    warn_of_scales(call, set, s);
    warn_of_order(call, set);
    if (s == statistic::last_valid) {
        warn_of_ties(call, set);
        warn_of_legends(call, set);
    }
    const auto cells = static_cast<double>(on.width) * on.height;
    if (cells * static_cast<double>(set.all.size() * first.bands.size()) > 5e8) call.takes_long();

    const auto count = static_cast<int>(first.bands.size() * outputs_of(s));
    const grid made = s == statistic::count || s == statistic::trend ? without_heights(on) : on;
    raster_output out{call[standard::raster_output].path, made, form.type, count};
    describe(out, set, form, s,
             s == statistic::percentile ? "percentile " + gdal::number_text(how.percent) : call[what].value);
    const bool single = form.type != GDT_Float64 && !(form.kept && !shared::fits_float32(form.type));
    const auto figures = compose({set, quality ? &*quality : nullptr, on, how, single, form.nodata}, out,
                                 call.part(0, 0.95, "composing"));
    put_observations(call, set);
    put_results(call, out, figures, s);
    if (quality) put_masked(call, figures, *quality, set);
    if (figures.infinite) call.warn("an input has infinite values, which count as cells without data");
    out.close();
    call.expect(standard::raster_output, expected_raster(made, count, dtype_name(form.type)));
    call.put(dtype, dtype_name(form.type));
    if (form.kept) call.put(nodata, form.nodata);
    shared::put_grid(call, made);
}

}  // namespace

const gdalmcp::tool tool{
    {"aggregate_temporal", "Composite over time",
     "One value a cell from rasters of one grid at several times; dates are shown with their source.",
     GDALMCP_DESTRUCTIVE | GDALMCP_IDEMPOTENT},
    run,
    {uris, what, percent, dates, mask, align, standard::bands, standard::subdataset, standard::raster_output,
     standard::overwrite},
    {observation_count, observations, results, masked_count, dtype, nodata, shared::crs.all, shared::width,
     shared::height}};

}  // namespace gdalmcp_temporal::aggregate_temporal
