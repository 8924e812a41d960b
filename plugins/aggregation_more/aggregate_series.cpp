// aggregate_series: values over time at points or in polygons, their trends, and runs beyond a threshold.
#include "aggregation_temporal/gdal_observation_arguments.hpp"
#include "aggregation_temporal/gdal_observed_values.hpp"
#include "datasets/gdal_cell_size.hpp"
#include "gdal_series_reading.hpp"
#include "gdal_series_table.hpp"
#include "series_report.hpp"
#include "tools.hpp"

namespace gdalmcp_aggregation_more::aggregate_series {
namespace {

using gdalmcp::arg;
using gdalmcp::choice;
using gdalmcp::error;
using gdalmcp_aggregation::place_layer;
using gdalmcp_aggregation::zone_grid;
using gdalmcp_aggregation::zone_layer;
using gdalmcp_temporal::observation_set;
namespace gdal = gdalmcp::gdal;
namespace standard = gdalmcp::standard;
namespace temporal = gdalmcp_temporal;
using zonal = gdalmcp_aggregation::statistic;

constexpr std::size_t most_rows = 10'000'000;
constexpr std::size_t most_for_trend = 4000;                  // observations: 8 million pairs a place
constexpr std::size_t least_for_trend = 4, least_for_p = 10;  // observations; of p the normal approximation
constexpr double days_of_a_year = 365.25;

const arg<gdalmcp::vector> at{.name = "at", .about = "Points or polygons: vector dataset or GeoJSON, in any CRS."};
const auto layer = standard::described(standard::layer, "Of 'at'. Default: the only one.");
const arg<std::optional<std::string>> id{.name = "place_id",
                                         .about = "Field that names the places, unique and not null. Default: FID."};
const arg<std::optional<gdalmcp::crs>> crs{.name = "crs", .about = "CRS of places that state none, x first."};
const arg<std::optional<choice>> what{
    .name = "statistic",
    .about = "In polygons, which need it: of each date, cells by the exact share inside.",
    .values = {"mean", "sum", "min", "max", "median", "count"},
    .synonyms = {{"average", "mean"}, {"avg", "mean"}, {"minimum", "min"}, {"maximum", "max"}, {"total", "sum"}}};
const auto bands = standard::described(standard::bands, "Of a stack those wanted, else the one of each. Default: all.");
const arg<std::optional<double>> above{.name = "above", .about = "Runs of values greater than this; not with 'below'."};
const arg<std::optional<double>> below{.name = "below", .about = "Runs of values less than this; not with 'above'."};
const arg<std::int64_t> limit{.name = "limit",
                              .about = "Places, runs and rows in the result; 'output' holds all rows.",
                              .fallback = 50,
                              .min = 1,
                              .max = 1000};
const auto output = standard::described(standard::table_output, "Table to write (.csv). Default: a managed result.");

std::optional<threshold> threshold_of(gdalmcp::call& call) {
    const auto greater = call[above], less = call[below];
    if (greater && less)
        throw error{GDALMCP_INVALID_ARGUMENT,
                    "both 'above' (" + gdal::number_text(*greater) + ") and 'below' (" + gdal::number_text(*less) +
                        ") are given",
                    "give one of them: a run is on one side of a threshold"};
    if (greater) return threshold{*greater, true};
    if (less) return threshold{*less, false};
    return std::nullopt;
}

void require_one_band(const observation_set& set) {
    const auto& first = set.all.front();
    if (first.bands.size() == 1) return;
    throw error{GDALMCP_INVALID_ARGUMENT,
                set.name(first) + " has " + std::to_string(first.bands.size()) + " bands, and a series is of one",
                R"(name it, for example "bands": 1; raster_info lists them)"};
}

// Why observations cannot be dated for certain; "" if they can.
std::string undated(const observation_set& set) {
    for (const auto& o : set.all) {
        if (!o.date) return "no date is known of " + set.name(o) + ": " + o.doubt;
        if (!o.doubt.empty()) return "the date of " + set.name(o) + " is not certain";
    }
    return {};
}

// The first two observations whose order in time is unknown; "" if there are none. REQUIRES: all are dated.
std::string disordered(const observation_set& set) {
    for (std::size_t i = 1; i < set.all.size(); ++i) {
        const auto &a = set.all[i - 1], &b = set.all[i];
        if (!before(*a.date, *b.date))
            return set.name(a) + " (" + a.date->text + ") and " + set.name(b) + " (" + b.date->text +
                   ") cannot be put in the order of time";
    }
    return {};
}

series_times times_of(gdalmcp::call& call, const observation_set& set) {
    series_times t;
    bool all = true;
    for (const auto& o : set.all) {
        t.dates.push_back(o.date ? o.date->text : std::string{});
        all = all && o.date;
    }
    warn_of_doubtful_dates(call, set);
    if (const auto why = undated(set); !why.empty()) {
        call.warn(why + "; so days and trends are left out" +
                  (all ? std::string{} : ", and observations are in the order given") + ": give 'dates'");
        return t;
    }
    for (const auto& o : set.all) t.days.push_back(o.date->days);
    if (const auto why = disordered(set); !why.empty()) {
        call.warn(why + ", so trends are left out: give more exact 'dates'");
        return t;
    }
    if (set.all.size() > most_for_trend) {
        call.warn("trends are computed over " + std::to_string(most_for_trend) +
                  " observations at most, and there are " + std::to_string(set.all.size()));
        return t;
    }
    for (const double d : t.days) t.years.push_back(d / days_of_a_year);
    if (t.years.size() >= least_for_trend && t.years.size() < least_for_p)
        call.warn("p of " + std::to_string(t.years.size()) +
                  " observations or fewer is rough: the normal approximation is meant for 10 or more");
    return t;
}

void warn_of_values(gdalmcp::call& call, const observation_set& set, const std::optional<zonal>& statistic) {
    const auto& first = set.all.front();
    gdalmcp_datasets::tell_ignored_scale(call, set.files[first.file].path, set.band(first, 0));
    warn_of_undeclared_nodata(call, set);
    const bool scaled = std::any_of(set.all.begin(), set.all.end(), [&](const auto& o) {
        return set.band(o, 0).GetScale() != 1 || set.band(o, 0).GetOffset() != 0;
    });
    if (scaled) call.say("Scale and offset of each raster are applied.");
    if (statistic != zonal::count)
        warn_of_kinds(call, set,
                      {true, statistic ? std::string{gdalmcp_aggregation::name_of(*statistic)} +
                                             " of them means nothing; aggregate_classes gives the areas of classes"
                                       : "mean and trend of them mean nothing; the rows hold them as they are"});
}

// On a geographic grid, of the polygon whose cells differ most in area.
void warn_of_unequal_cells(gdalmcp::call& call, const series_zones& zones, const zone_grid& raster, zonal statistic) {
    if (statistic != zonal::mean && statistic != zonal::median) return;
    const auto worst = gdalmcp_aggregation::most_unequal(zones.where, raster.row_areas());
    if (!worst) return;
    const auto text = gdalmcp_datasets::unequal_cells(
        worst->least, worst->most, std::string{gdalmcp_aggregation::name_of(statistic)},
        "for one date, aggregate_zonal has weighted_mean with weight_by_area; for all, bring them to an equal-area CRS "
        "with raster_reproject");
    if (!text.empty()) call.warn("in place " + zones.places[worst->block].id + " " + text);
}

void warn_of_small_places(gdalmcp::call& call, const series_zones& zones) {
    std::size_t small = 0, first = 0;
    for (std::size_t p = 0; p < zones.outlines.size(); ++p) {
        const double cells = gdalmcp_aggregation::area_of(zones.outlines[p]);
        if (cells <= 0 || cells >= 1) continue;
        if (small++ == 0) first = p;
    }
    if (small > 0)
        call.warn(std::to_string(small) + (small == 1 ? " place is" : " places are") +
                  " smaller than one cell, the first is " + zones.places[first].id +
                  ": its values are those of the cells it lies on");
}

void require_few_rows(std::size_t number, std::size_t observations) {
    if (number <= most_rows / observations) return;
    throw error{GDALMCP_EXHAUSTED,
                std::to_string(number) + " places at " + std::to_string(observations) +
                    " times are more than the 1e7 values that one call returns",
                "give fewer places, for example those that vector_query selects, or fewer times"};
}

struct found_series {
    std::vector<series_place> places;
    place_series values;
};

found_series at_points(gdalmcp::call& call, const place_layer& at_places, series_cells& cells,
                       const zone_grid& raster) {
    if (call.given(what))
        throw error{
            GDALMCP_INVALID_ARGUMENT,
            "'statistic' is " + call[what]->value + ", but the places are points, which take their cell's value",
            "leave it out, or give polygons, for example buffers around the points"};
    auto points = points_on(at_places, raster, call.part(0.05, 0.1, "places"));
    for (const auto& text : at_places.warnings("")) call.warn(text);
    auto values = read_at_points(cells, points, call.part(0.1, 0.9, "rasters"));
    return {std::move(points.places), std::move(values)};
}

found_series in_polygons(gdalmcp::call& call, series_cells& cells, const zone_grid& raster, zonal statistic) {
    zone_layer areas{call[at],
                     {.layer = call[layer],
                      .id_field = call[id],
                      .crs = call[crs],
                      .words = {.one = "place", .id_argument = id.name, .crs_argument = crs.name}},
                     raster};
    auto zones = zones_on(areas, raster, call.part(0.05, 0.1, "places"));
    for (const auto& text : areas.warnings()) call.warn(text);
    warn_of_unequal_cells(call, zones, raster, statistic);
    warn_of_small_places(call, zones);
    double covered = 0;
    for (const auto& w : zones.where) covered += static_cast<double>(w.size());
    if (covered * static_cast<double>(cells.observations()) > 5e8) call.takes_long();
    auto values = read_in_zones(cells, zones, raster, statistic, call.part(0.1, 0.9, "rasters"));
    return {std::move(zones.places), std::move(values)};
}

std::optional<zonal> statistic_of(gdalmcp::call& call, bool points) {
    const auto asked = call[what];
    if (asked) return gdalmcp_aggregation::statistic_named(asked->value);
    if (points) return std::nullopt;
    throw error{GDALMCP_INVALID_ARGUMENT, "the places are polygons, and 'statistic' does not say what stands for each",
                "give mean, median, min or max for measurements, sum for amounts, or count"};
}

void write_table(gdalmcp::call& call, const reported_series& r) {
    series_table table{call[output].path, {!r.series.data_share.empty(), r.masked, r.beyond.has_value()}};
    const auto each = r.series.observations;
    for (std::size_t p = 0; p < r.ids.size(); ++p) {
        if (p % 64 == 0) call.progress(0.9 + 0.1 * static_cast<double>(p) / static_cast<double>(r.ids.size()), "table");
        const auto values = r.series.of(p);
        const auto found = r.beyond ? runs_of(values, *r.beyond) : std::vector<value_run>{};
        std::size_t run = 0;
        for (std::size_t o = 0; o < each; ++o) {
            const auto k = r.series.at(p, o);
            series_row row{r.ids[p], o + 1, r.times.dates[o], {}, {}, r.series.excluded[k], {}};
            if (!std::isnan(values[o])) row.value = values[o];
            if (!r.series.data_share.empty()) row.data_share = r.series.data_share[k];
            while (run < found.size() && found[run].last < o) ++run;
            if (run < found.size() && found[run].first <= o) row.run = run + 1;
            table.add(row);
        }
    }
    table.close();
    call.expect(output, {.features = static_cast<std::int64_t>(r.series.value.size())});
}

// The counts of places, and warnings of those without values.
void put_counts(gdalmcp::call& call, const found_series& found) {
    std::size_t off = 0, others = 0, empty = 0;
    std::string first;
    for (std::size_t p = 0; p < found.places.size(); ++p) {
        const auto& place = found.places[p];
        const auto values = found.values.of(p);
        if (std::all_of(values.begin(), values.end(), [](double v) { return std::isnan(v); })) ++empty;
        if (place.problem == outside_problem)
            ++off;
        else if (!place.problem.empty() && others++ == 0)
            first = place.id + ": " + place.problem;
    }
    call.put(place_count, static_cast<std::int64_t>(found.places.size()));
    call.put(outside_count, static_cast<std::int64_t>(off));
    call.put(empty_count, static_cast<std::int64_t>(empty));
    const auto places = [](std::size_t n, const char* one, const char* many) {
        return std::to_string(n) + (n == 1 ? " place" : " places") + (n == 1 ? one : many);
    };
    if (off > 0)
        call.warn(places(off, " lies outside the rasters and has", " lie outside the rasters and have") +
                  " no value, which is not 0");
    if (others > 0) call.warn(places(others, "", "") + " could not be used, the first is " + first);
    if (empty > off + others)
        call.warn(places(empty - off - others, " lies", " lie") +
                  " on cells without a value in every observation, which is not 0");
}

void run(gdalmcp::call& call) {
    series_table::require_csv(call[output].path);  // before anything is read
    const auto beyond = threshold_of(call);
    auto [set, quality] = temporal::open_observations_of(call);
    require_one_band(set);
    order_by_date(set, false, false);
    std::vector<observation_set*> sets{&set};
    if (quality && quality->rasters()) sets.push_back(quality->rasters());
    const zone_grid raster{set.files.front().path, bring_together(sets, temporal::alignment_of(call),
                                                                  [&](const std::string& text) { call.warn(text); })};
    require_one_unit(set);
    const auto times = times_of(call, set);

    place_layer named{call[at],  call[layer], call[id],
                      call[crs], raster,      {.one = "place", .id_argument = id.name, .crs_argument = crs.name}};
    require_few_rows(named.size(), set.all.size());
    const bool points = holds_points(named, call.part(0, 0.05, "places"));
    const auto statistic = statistic_of(call, points);
    warn_of_values(call, set, statistic);
    if (statistic != zonal::count) warn_of_missing_unit(call, set);
    series_cells cells{set, quality ? &*quality : nullptr};
    const auto found = points ? at_points(call, named, cells, raster) : in_polygons(call, cells, raster, *statistic);
    if (cells.met_infinite()) call.warn("an input has infinite values, which count as cells without data");
    if (quality) warn_of_quality(call, *quality, set, found.values.excluded_cells, found.values.without_quality);

    call.put(observation_count, static_cast<std::int64_t>(set.all.size()));
    if (std::none_of(times.dates.begin(), times.dates.end(), [](const auto& d) { return d.empty(); })) {
        call.put(first_date, times.dates.front());
        call.put(last_date, times.dates.back());
    }
    put_counts(call, found);
    call.put(matched_total, static_cast<std::int64_t>(found.values.value.size()));
    reported_series reported{found.values, times, {}, {}, beyond, quality.has_value()};
    for (const auto& p : found.places) {
        reported.ids.push_back(p.id);
        reported.problems.push_back(p.problem);
    }
    put_series(call, reported, static_cast<std::size_t>(call[limit]));
    write_table(call, reported);
}

}  // namespace

const gdalmcp::tool tool{
    {"aggregate_series", "Time series at points or in polygons",
     "Values over time at points (of the cell each lies in) or in polygons, from rasters of one grid: one row a place "
     "and date, a summary with trend, and runs above or below a threshold. Dates without a value stay empty, never 0, "
     "and end a run; a time without a raster does not. The days of a run are from its first to its last date.",
     GDALMCP_DESTRUCTIVE | GDALMCP_IDEMPOTENT},
    run,
    {temporal::uris, at, what, above, below, temporal::dates, temporal::mask, temporal::align, bands,
     standard::subdataset, layer, id, crs, limit, output, standard::overwrite},
    {observation_count, first_date, last_date, place_count, outside_count, empty_count, matched_total, truncated,
     places, runs, rows}};

}  // namespace gdalmcp_aggregation_more::aggregate_series
