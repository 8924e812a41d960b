// raster_sample: cells of a raster drawn at random, on a lattice or by strata, or those at given points.
#include <gdalmcp/gdal_class_names.hpp>
#include <gdalmcp/gdal_kind.hpp>
#include <gdalmcp/nodata_range.hpp>

#include "arguments.hpp"
#include "datasets/gdal_cell_size.hpp"
#include "gdal_cell_values.hpp"
#include "gdal_class_areas.hpp"
#include "gdal_sample_frame.hpp"
#include "gdal_sample_layer.hpp"
#include "gdal_undeclared_nodata.hpp"
#include "gdal_zone_mask.hpp"
#include "sample_estimate.hpp"
#include "tools.hpp"

namespace gdalmcp_raster::raster_sample {
namespace {

using gdalmcp::arg;
using gdalmcp::choice;
using gdalmcp::error;
using gdalmcp::field;
namespace gdal = gdalmcp::gdal;
namespace standard = gdalmcp::standard;

constexpr std::size_t max_strata = 100;  // in the result

const arg<choice> strategy{
    .name = "strategy",
    .about =
        "systematic: about n on a square lattice; stratified: by class, in proportion to cells; points: at 'points'.",
    .values = {"random", "systematic", "stratified", "points"},
    .synonyms = {{"simple_random", "random"}, {"grid", "systematic"}, {"regular", "systematic"}}};
const arg<std::optional<std::int64_t>> size{
    .name = "n", .about = "Sample size. Default 100.", .unit = "cells", .min = 1, .max = 1'000'000};
const arg<std::optional<std::int64_t>> seed{
    .name = "seed", .about = "Draws the same cells on every machine. Default 1.", .min = 0};
const arg<std::optional<gdalmcp::raster>> strata{
    .name = "strata", .about = "Class raster on the same grid. Default: the first of 'bands'."};
const arg<std::optional<std::int64_t>> least{.name = "min_per_stratum",
                                             .about =
                                                 "At least, or all of a smaller class. Default 2, which standard "
                                                 "errors need.",
                                             .unit = "cells",
                                             .min = 0};
const arg<std::optional<gdalmcp::vector>> points{.name = "points", .about = "Point data or GeoJSON, in any CRS."};
const auto points_layer = standard::described(standard::layer, "Of 'points'. Default: the only one.");
const arg<std::int64_t> show{.name = "show",
                             .about = "Samples in the result; the output has all.",
                             .unit = "rows",
                             .fallback = 10,
                             .min = 0,
                             .max = 200};

const field<std::string> strategy_used{"strategy", "As asked"};
const auto seed_used = field<std::int64_t>{"seed", "Not for points"}.optional();
const auto step_used = field<std::int64_t>{"step", "With systematic: between samples", "cells"}.optional();
const auto population =
    field<std::int64_t>{"cell_count", "Cells drawn from: with a value in every band", "cells"}.optional();
const auto population_area =
    field<double>{"area_m2", "Their true area; absent, as others, without a CRS", "m²"}.optional();
const auto outside_count = field<std::int64_t>{"outside_count", "Points off the raster, values null"}.optional();
const field<std::int64_t> band_number{"band", "From 1"};
const field<std::int64_t> with_value{"n", "Samples with a value"};
const field<std::int64_t> null_count{"null_count", "Samples without: nodata or outside"};
const auto mean = field<double>{"mean", "Estimate for all cells, of points their mean; absent for codes"}.optional();
const auto stdev = field<double>{"stdev_sample", "Of the samples, divided by n - 1"}.optional();
const auto standard_error_field =
    field<double>{"standard_error", "Of 'mean', by the design; systematic and points have none"}.optional();
const auto min = field<double>{"min", "Smallest"}.optional();
const auto max = field<double>{"max", "Largest"}.optional();
const gdalmcp::table band_table{
    "bands", "All samples", {band_number, with_value, null_count, mean, stdev, standard_error_field, min, max}};
const field<std::int64_t> stratum_value{"value", "Class code"};
const auto stratum_name = field<std::string>{"name", "Where declared"}.optional();
const field<std::int64_t> stratum_cells{"cells", "Drawn from", "cells"};
const auto stratum_area = field<double>{"area_m2", "True area", "m²"}.optional();
const auto stratum_hectares = field<double>{"area_ha", "The same", "ha"}.optional();
const field<std::int64_t> stratum_size{"n", "Samples"};
const auto stratum_mean = field<double>{"mean", "Mean"}.optional(),
           stratum_stdev = field<double>{"stdev_sample", "See above"}.optional(),
           stratum_error = field<double>{"standard_error", "Of the mean"}.optional();
const gdalmcp::table stratum_bands{"bands", "By band", {band_number, stratum_mean, stratum_stdev, stratum_error}};
const auto stratum_table = gdalmcp::table{
    "strata",
    "With stratified, by code",
    {stratum_value, stratum_name, stratum_cells, stratum_area, stratum_hectares, stratum_size,
     stratum_bands}}.optional();
const auto row_point = field<std::int64_t>{"point_id", "FID of the point"}.optional();
const auto row_column = field<std::int64_t>{"column", "From 0; absent outside"}.optional();
const auto row_row = field<std::int64_t>{"row", "From 0"}.optional();
const auto row_x = field<double>{"x", "Centre of the cell, or the point, in 'crs'"}.optional();
const auto row_y = field<double>{"y", "See x"}.optional();
const auto row_longitude = field<double>{"longitude", "WGS 84", "degrees"}.optional();
const auto row_latitude = field<double>{"latitude", "WGS 84", "degrees"}.optional();
const auto row_stratum = field<std::int64_t>{"stratum", "Class code"}.optional();
const field<gdalmcp::json_text> row_values{"values", "By band number, scale and offset applied; null without data"};
const gdalmcp::table sample_table{
    "samples",
    "The first, in row order; points in theirs",
    {row_point, row_column, row_row, row_x, row_y, row_longitude, row_latitude, row_stratum, row_values}};
const field<std::int64_t> matched_total{"matched_total", "Samples in the output"};
const field<bool> truncated{"truncated", "'samples' omits some"};
const auto used_geometry = gdal::geometry_used.optional();
const auto used_geometry_crs = gdal::geometry_crs_used.optional();

void check_arguments(gdalmcp::call& call, const std::string& how) {
    const auto only = [&](bool given, const char* name, bool fits) {
        if (given && !fits)
            throw error{GDALMCP_INVALID_ARGUMENT,
                        std::string{"'"} + name + "' is given, which strategy " + how + " does not use",
                        std::string{"leave '"} + name + "' out, or choose another strategy"};
    };
    const bool drawn = how != "points", by_class = how == "stratified";
    only(call[size].has_value(), "n", drawn);
    only(call[seed].has_value(), "seed", drawn);
    only(call[standard::geometry].has_value(), "geometry", drawn);
    only(call[strata].has_value(), "strata", by_class);
    only(call[least].has_value(), "min_per_stratum", by_class);
    only(call[points].has_value(), "points", !drawn);
    only(call[points_layer].has_value(), "layer", !drawn);
    if (!drawn && !call[points])
        throw error{GDALMCP_INVALID_ARGUMENT, "strategy points needs 'points'", "give point data, or another strategy"};
}

struct sampled {
    std::string how;
    std::vector<int> numbers;
    std::vector<GDALRasterBand*> bands;
    std::map<std::int64_t, class_size> population;  // by stratum
    bool with_areas = false;
    gdal::class_names names;
    std::vector<sample_row> rows;
    gdal::dataset_ptr of_points{};  // of strategy points
    OGRLayer* points = nullptr;

    // Values of a band, of all strata or one.
    std::vector<double> values(std::size_t band, std::optional<std::int64_t> stratum = {}) const {
        std::vector<double> found;
        for (const auto& r : rows)
            if (r.values[band] && (!stratum || r.stratum == *stratum)) found.push_back(*r.values[band]);
        return found;
    }
    // As the file declares it.
    gdal::value_kind kind(std::size_t band) const {
        const auto declared = gdal::declared_kind(gdal::signs_of(*bands[band], false));
        return declared && declared->certain ? declared->kind : gdal::value_kind::unknown;
    }
    // Codes have no mean.
    bool codes(std::size_t band) const {
        return kind(band) == gdal::value_kind::classes || kind(band) == gdal::value_kind::qa_bits;
    }
};

// The sample sizes of the strata. Refused: more than there are cells, or fewer than the minima need.
std::map<std::int64_t, std::int64_t> sizes_of(gdalmcp::call& call, const sampled& s, std::int64_t n) {
    const auto minimum = call[least].value_or(s.how == "stratified" ? 2 : 0);
    std::map<std::int64_t, std::int64_t> cells;
    std::int64_t total = 0, needed = 0;
    for (const auto& [code, size_of] : s.population) {
        cells[code] = size_of.count;
        total += size_of.count;
        needed += std::min(minimum, size_of.count);
    }
    if (total == 0)
        throw error{GDALMCP_INVALID_ARGUMENT, call[uri].path + " has no cell with a value in every band to draw from",
                    "choose other 'bands', or a larger 'geometry'"};
    if (n > total)
        throw error{
            GDALMCP_INVALID_ARGUMENT,
            "'n' is " + std::to_string(n) + ", but only " + std::to_string(total) + " cells have a value in every band",
            "give n up to " + std::to_string(total)};
    if (n < needed)
        throw error{GDALMCP_INVALID_ARGUMENT,
                    "'n' is " + std::to_string(n) + ", but " + std::to_string(cells.size()) + " strata with at least " +
                        std::to_string(minimum) + " cells each need " + std::to_string(needed),
                    "give n of at least " + std::to_string(needed) + ", or a smaller min_per_stratum"};
    return allocation(cells, n, minimum);
}

void draw(gdalmcp::call& call, const grid& on, sampled& s) {
    sample_frame frame{s.bands, {}, nullptr};
    std::optional<zone_mask> zone;
    if (const auto area = call[standard::geometry]) {
        const auto placed = gdal::place_geometry(*area, call[standard::geometry_crs], {on.crs, on.extent()});
        placed.tell(call);
        placed.put(call);
        zone.emplace(*placed.shape, on, false);
        frame.zone = &*zone;
        if (const auto text = zone->outside_text("sampled"); !text.empty()) call.warn(text);
    }
    gdal::dataset_ptr classes;
    if (s.how == "stratified") {
        const auto other = call[strata];
        auto path = call[uri].path;
        auto* band = s.bands.front();
        if (other) {
            path = other->path;
            classes = open_raster(*other);
            require_same_grid({call[uri].path, on}, {path, grid_of(*classes)});
            if (classes->GetRasterCount() != 1)
                throw error{GDALMCP_INVALID_ARGUMENT,
                            path + " has " + std::to_string(classes->GetRasterCount()) + " bands, and strata are one",
                            "take one band with raster_convert and its 'bands'"};
            band = classes->GetRasterBand(1);
        }
        frame.strata.emplace(path, *band,
                             "bring the values to classes with raster_classify, and give them as 'strata'");
        s.names = gdal::class_names{*band};
    }
    const auto areas =
        on.georeferenced ? gdal::cell_areas::of(on.crs, on.geotransform, on.width, on.height) : std::nullopt;
    std::optional<true_areas> per_run;
    if (areas) per_run.emplace(*areas);
    s.with_areas = areas.has_value();
    if (std::int64_t{on.width} * on.height > 500'000'000) call.takes_long();
    s.population = frame.measure(per_run ? &*per_run : nullptr, call.part(0, 0.4, "counting cells"));
    if (per_run) per_run->tell_missing(call);

    const auto n = call[size].value_or(100), number = call[seed].value_or(1);
    const auto sizes = sizes_of(call, s, n);
    class_size all;
    for (const auto& each : s.population) all.count += each.second.count, all.area += each.second.area;
    call.put(seed_used, number);
    call.put(population, all.count);
    if (areas) call.put(population_area, all.area);
    const auto progress = call.part(0.4, 0.8, "drawing cells");
    const auto start = static_cast<std::uint64_t>(number);
    std::vector<drawn_cell> cells;
    if (s.how == "systematic") {
        const auto step =
            std::max<std::int64_t>(1, std::llround(std::sqrt(static_cast<double>(all.count) / static_cast<double>(n))));
        call.put(step_used, step);
        cells = frame.draw_systematic(start, step, progress);
    } else {
        cells = frame.draw(start, sizes, progress);
    }
    for (const auto& c : cells) {
        sample_row row;
        row.cell = cell_place{c.cell / on.width, c.cell % on.width};
        const auto centre = centre_of(on, *row.cell);
        row.x = centre[0];
        row.y = centre[1];
        row.stratum = c.stratum;
        s.rows.push_back(std::move(row));
    }
    if (const auto doubt = unequal_cells(zone ? part_of(on, zone->bounds()) : on); !doubt.empty()) call.warn(doubt);
}

void at_points(gdalmcp::call& call, const grid& on, sampled& s) {
    s.of_points = gdal::open(*call[points]);
    s.points = &gdal::layer_of(*s.of_points, call[points_layer]);
    auto& layer = *s.points;
    s.rows =
        rows_at_points(layer, on, "give points; for polygons use aggregate_zonal, or 'geometry' with another strategy",
                       call.part(0, 0.7, "placing points"), [&](const std::string& text) { call.warn(text); });
    const auto outside = std::count_if(s.rows.begin(), s.rows.end(), [](const auto& r) { return !r.cell; });
    call.put(outside_count, outside);
    if (outside == 0) return;
    OGREnvelope box;
    const bool known = layer.GetExtent(&box, TRUE) == OGRERR_NONE;
    call.warn(std::to_string(outside) + " of " + std::to_string(s.rows.size()) +
              " points lie on no cell; their values are null. The raster covers " +
              gdal::extent_text(on.extent(), on.crs) +
              (known ? ", the points " + gdal::extent_text(box, gdal::stated_crs(layer.GetSpatialRef())) : ""));
}

void read_values(gdalmcp::call& call, sampled& s) {
    std::vector<cell_place> cells;
    for (const auto& r : s.rows)
        if (r.cell) cells.push_back(*r.cell);
    auto values = values_at(s.bands, cells, call.part(0.8, 0.95, "reading values"));
    auto next = values.begin();
    for (auto& r : s.rows) r.values = r.cell ? std::move(*next++) : decltype(r.values)(s.bands.size());
}

// The raster is looked through only where one of the few values read may mark a missing cell.
void warn_of_marks(gdalmcp::call& call, const sampled& s) {
    for (std::size_t b = 0; b < s.bands.size(); ++b) {
        const auto values = s.values(b);
        if (std::any_of(values.begin(), values.end(),
                        [](double v) { return gdalmcp::customary_nodata(v) || gdalmcp::possible_nodata(v); }))
            warn_of_undeclared_nodata(call, call[uri].path, *s.bands[b]);
    }
}

void put_strata(gdalmcp::call& call, const sampled& s) {
    call.begin(stratum_table);
    std::size_t shown = 0;
    for (const auto& [code, size_of] : s.population) {
        if (++shown > max_strata) {
            call.warn("'strata' shows the first " + std::to_string(max_strata) + " of " +
                      std::to_string(s.population.size()));
            return;
        }
        auto row = call.add(stratum_table);
        row.put(stratum_value, code);
        if (const auto name = s.names.of(code); !name.empty()) row.put(stratum_name, name);
        row.put(stratum_cells, size_of.count);
        if (s.with_areas) {
            row.put(stratum_area, size_of.area);
            row.put(stratum_hectares, size_of.area / 1e4);
        }
        row.put(stratum_size, static_cast<std::int64_t>(s.values(0, code).size()));
        row.begin(stratum_bands);
        for (std::size_t b = 0; b < s.bands.size(); ++b) {
            auto of_band = row.add(stratum_bands);
            of_band.put(band_number, s.numbers[b]);
            if (s.codes(b)) continue;
            const auto m = moments_of_sample(s.values(b, code));
            if (m.mean) of_band.put(stratum_mean, *m.mean);
            if (m.stdev_sample) of_band.put(stratum_stdev, *m.stdev_sample);
            if (const auto e = standard_error(m, size_of.count)) of_band.put(stratum_error, *e);
        }
    }
}

// The estimate of the mean of all cells by the design, with its standard error where the design has one.
design_estimate estimate_of(const sampled& s, std::size_t band, const sample_moments& all) {
    if (s.how == "random") return {all.mean, standard_error(all, s.population.begin()->second.count)};
    if (s.how != "stratified") return {all.mean, std::nullopt};
    std::vector<sampled_stratum> each;
    for (const auto& [code, size_of] : s.population)
        each.push_back({size_of.count, moments_of_sample(s.values(band, code))});
    return stratified_estimate(each);
}

void put_bands(gdalmcp::call& call, const sampled& s) {
    call.begin(band_table);
    for (std::size_t b = 0; b < s.bands.size(); ++b) {
        const auto found = s.values(b);
        auto row = call.add(band_table);
        row.put(band_number, s.numbers[b]);
        row.put(with_value, static_cast<std::int64_t>(found.size()));
        row.put(null_count, static_cast<std::int64_t>(s.rows.size() - found.size()));
        if (found.empty()) continue;
        const auto [low, high] = std::minmax_element(found.begin(), found.end());
        row.put(min, *low);
        row.put(max, *high);
        const std::string name = "band " + std::to_string(s.numbers[b]);
        if (s.codes(b)) {
            call.say(name + " holds codes, which have no mean");
            continue;
        }
        const auto m = moments_of_sample(found);
        const auto estimate = estimate_of(s, b, m);
        if (estimate.mean) row.put(mean, *estimate.mean);
        // Samples of strata drawn in other shares than their cells have no spread of the whole.
        if (m.stdev_sample && s.how != "stratified") row.put(stdev, *m.stdev_sample);
        if (estimate.standard_error) row.put(standard_error_field, *estimate.standard_error);
        warn_of_no_mean(call, name, *s.bands[b]);
        warn_of_likely_codes(call, name, *s.bands[b], *low, *high);
    }
    if (s.how == "systematic") call.say("a systematic sample has no unbiased standard error, so none is given");
}

std::string values_text(const sampled& s, const sample_row& row) {
    std::string text;
    for (std::size_t b = 0; b < s.bands.size(); ++b)
        text += (b ? "," : "") + gdal::json_quote(std::to_string(s.numbers[b])) + ":" +
                (row.values[b] ? gdal::number_text(*row.values[b]) : "null");
    return "{" + text + "}";
}

void put_samples(gdalmcp::call& call, const sampled& s) {
    const auto shown = std::min(s.rows.size(), static_cast<std::size_t>(call[show]));
    call.begin(sample_table);
    for (std::size_t i = 0; i < shown; ++i) {
        const auto& r = s.rows[i];
        auto row = call.add(sample_table);
        if (s.how == "points") row.put(row_point, r.point);
        if (r.cell) {
            row.put(row_column, r.cell->column);
            row.put(row_row, r.cell->row);
        }
        row.put(row_x, r.x);  // without a value they are left out
        row.put(row_y, r.y);
        row.put(row_longitude, r.longitude);
        row.put(row_latitude, r.latitude);
        if (s.how == "stratified") row.put(row_stratum, r.stratum);
        row.put(row_values, {values_text(s, r)});
    }
    call.put(matched_total, static_cast<std::int64_t>(s.rows.size()));
    call.put(truncated, shown < s.rows.size());
}

void run(gdalmcp::call& call) {
    sampled s;
    s.how = call[strategy].value;
    check_arguments(call, s.how);
    const auto source = open_raster(call[uri], call[subdataset]);
    const grid on = grid_of(*source);
    warn_of_place(call, call[uri].path, on);
    if (!on.georeferenced) call.warn("the raster has no geotransform: x and y are column and row numbers");
    s.numbers = band_numbers(*source, call[bands]);
    for (const int n : s.numbers) {
        s.bands.push_back(source->GetRasterBand(n));
        require_real(*s.bands.back());
        tell_ignored_scale(call, call[uri].path, *s.bands.back());
        if (s.bands.back()->GetScale() != 1 || s.bands.back()->GetOffset() != 0)
            call.say("scale and offset of band " + std::to_string(n) + " are applied");
        if (s.how != "points") warn_of_undeclared_nodata(call, call[uri].path, *s.bands.back());
    }
    s.how == "points" ? at_points(call, on, s) : draw(call, on, s);
    read_values(call, s);
    if (s.how == "points") warn_of_marks(call, s);
    locate(on.crs, s.rows);
    if (s.rows.empty()) call.warn("the sample is empty");
    const auto written = write_samples(
        call[standard::vector_output].path, on.crs, {s.numbers, s.how == "stratified", s.of_points.get(), s.points},
        s.rows, call.part(0.95, 0.99, "writing"), [&](const std::string& text) { call.warn(text); });
    call.expect(standard::vector_output, {.crs = gdal::crs_text(written.crs), .features = written.features});

    call.put(strategy_used, s.how);
    put_bands(call, s);
    if (s.how == "stratified") put_strata(call, s);
    put_samples(call, s);
    crs.put(call, on.crs);
}

}  // namespace

const gdalmcp::tool tool{
    {"raster_sample", "Sample raster",
     "Values at cells with data drawn at random, without replacement, or at given points, as a point layer; "
     "means with standard errors by design.",
     GDALMCP_DESTRUCTIVE | GDALMCP_IDEMPOTENT},
    run,
    {uri, strategy, size, seed, strata, least, points, points_layer, standard::geometry, standard::geometry_crs, bands,
     show, standard::vector_output, subdataset, overwrite},
    {strategy_used, seed_used, step_used, population, population_area, outside_count, band_table, stratum_table,
     sample_table, matched_total, truncated, used_geometry, used_geometry_crs, crs.all}};

}  // namespace gdalmcp_raster::raster_sample
