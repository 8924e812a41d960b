#include "arguments.hpp"
#include "cut.hpp"
#include "raster_tools.hpp"
#include "statistics.hpp"
#include "value_census.hpp"

namespace gdalmcp_raster {
namespace {

using gdalmcp::arg;
using gdalmcp::error;
using gdalmcp::field;
using gdalmcp::json_text;
namespace gdal = gdalmcp::gdal;

const arg<std::vector<double>> percentiles{.name = "percentiles",
                                           .about =
                                               "Percentiles wanted, 0 to 100 (50 is the median), linear between ranks. "
                                               "Fractions such as [0.05, 0.95] are refused.",
                                           .unit = "percent",
                                           .fallback = std::vector<double>{2, 25, 75, 98},
                                           .min = 0,
                                           .max = 100,
                                           .max_items = 100,
                                           .or_single = true};
const arg<std::optional<std::int64_t>> histogram_bins{
    .name = "histogram_bins",
    .about = "Number of equal bins from minimum to maximum. Default: no histogram.",
    .min = 1,
    .max = 1000};
const arg<std::optional<std::int64_t>> sample_size{.name = "sample_size",
                                                   .about =
                                                       "Read about this many cells of the window, every n-th row and "
                                                       "column, instead of all; the figures are then marked "
                                                       "approximate. Default: all cells.",
                                                   .unit = "cells",
                                                   .min = 100};
const arg<bool> all_touched{
    .name = "all_touched",
    .about = "With 'geometry': count every cell it touches. Default false: cells whose centre is inside.",
    .fallback = false};

const field<std::int64_t> index{"index", "Band number, counted from 1"};
const field<std::string> description{"description", "Name of the band; empty when it has none"};
const field<std::string> unit{
    "unit", "Unit of min, max, mean, std, median, sum and percentiles; empty when the data does not say"};
const field<std::int64_t> valid_count{"valid_count", "Cells that the figures are of", "cells"};
const field<std::int64_t> nodata_count{"nodata_count", "Cells without data (nodata, mask or alpha 0); in no figure",
                                       "cells"};
const field<std::int64_t> nan_count{"nan_count", "Cells that are NaN without being nodata; in no figure", "cells"};
const field<std::int64_t> infinite_count{"infinite_count", "Cells that are infinite; in no figure", "cells"};
const auto min =
    field<double>{"min", "Smallest value; this and the others are left out without valid cells"}.optional();
const auto max = field<double>{"max", "Largest value"}.optional();
const auto mean = field<double>{"mean", "Mean, every cell with equal weight"}.optional();
const auto std_field = field<double>{"std", "Standard deviation, population form (divided by n)"}.optional();
const auto median = field<double>{"median", "Median"}.optional();
const auto sum = field<double>{"sum", "Sum of the values; exact for integers"}.optional();
const auto percentile_values =
    field<json_text>{"percentiles", "Percentile (as text, \"25\") to value, linear between ranks"}.optional();
const field<double> bin_min{"min", "Lower edge of the first bin"};
const field<double> bin_max{"max", "Upper edge of the last bin; belongs to it"};
const field<std::vector<std::int64_t>> bin_counts{"counts", "Cells per bin, bins of equal width", "cells"};
const auto histogram =
    gdalmcp::record{"histogram", "With 'histogram_bins', scale and offset applied", {bin_min, bin_max, bin_counts}}
        .optional();
const field<double> scale{"scale", "Applied: value = stored × scale + offset; 1 = none"};
const field<double> offset{"offset", "See scale; 0 = none"};
const field<bool> approximate{
    "approximate",
    "True when figures are of a sample, or percentiles are from a histogram of 2^20 bins (off by at "
    "most a millionth of the range)"};
const gdalmcp::table band_table{
    "bands",
    "Statistics per band",
    {index, description, unit, valid_count, nodata_count, nan_count, infinite_count, min, max, mean, std_field, median,
     sum, percentile_values, histogram, scale, offset, approximate}};
const auto clipped_share =
    field<double>{"clipped_share", "Share of the geometry that lies outside the raster", "0 to 1"}.optional();
const field<std::int64_t> cell_count{"cell_count", "Cells inside the geometry, or of the raster; before sampling",
                                     "cells"};
const auto used_geometry = gdalmcp::record{
    "area",
    "The geometry, when one was given",
    {gdal::geometry_used, gdal::geometry_crs_used,
     clipped_share}}.optional();

// What is read of each band: a window, the cells of it selected by a zone, and of those every n-th.
struct reading {
    window w;
    const zone_mask* zone = nullptr;
    int stride = 1;
};

// Hands the cells of a band to f(values, valid, n), strip by strip.
template <class F>
void each_strip(GDALRasterBand& band, const reading& r, F&& f, const std::function<void(double)>& report) {
    std::vector<double> values;
    std::vector<unsigned char> valid, selected;
    const int step = r.stride > 1 ? 1 : strip_rows(r.w);
    for (int row = r.stride / 2; row<r.w.height; row += r.stride> 1 ? r.stride : step) {
        report(static_cast<double>(row) / r.w.height);
        const int rows = std::min(step, r.w.height - row);
        read_strip(band, r.w, row, rows, values, valid);
        if (r.zone) r.zone->read(row, rows, selected);
        if (!r.zone && r.stride == 1) {
            f(values.data(), valid.data(), values.size());
            continue;
        }
        std::size_t kept = 0;
        for (std::size_t i = static_cast<std::size_t>(r.stride) / 2; i < values.size();
             i += static_cast<std::size_t>(r.stride))
            if (!r.zone || selected[i]) {
                values[kept] = values[i];
                valid[kept++] = valid[i];
            }
        f(values.data(), valid.data(), kept);
    }
}

std::optional<std::array<double, 2>> small_range(GDALDataType type) {
    switch (type) {
        case GDT_Byte:
            return std::array<double, 2>{0, 255};
        case GDT_UInt16:
            return std::array<double, 2>{0, 65535};
        case GDT_Int16:
            return std::array<double, 2>{-32768, 32767};
        default:
            return std::nullopt;
    }
}

void warn_of_values(gdalmcp::call& call, GDALRasterBand& band, const statistics& s) {
    const std::string name = "band " + std::to_string(band.GetBand());
    if (s.counts().valid == 0) {
        call.warn(name + " has no valid cell here: there is nothing to measure, which is not the same as 0");
        return;
    }
    for (const auto& [v, cells] : {std::pair{s.min(), s.cells_at_min()}, {s.max(), s.cells_at_max()}})
        if (customary_nodata(v) && cells * 1000 > s.counts().valid)
            call.warn(name + ": " + std::to_string(cells) + " cells are " + gdal::number_text(v) +
                      ", which looks like an undeclared nodata value; they are in the figures");
    if (band.GetColorTable() || band.GetCategoryNames())
        call.warn(name + " holds class codes: its mean, std and percentiles mean nothing; use counts per class");
}

void put_figures(gdalmcp::call& call, gdalmcp::place& at, statistics& s, double a, double b) {
    const auto shown = [&](double stored) { return stored * a + b; };
    const double low = shown(a < 0 ? s.max() : s.min()), high = shown(a < 0 ? s.min() : s.max());
    at.put(min, low);
    at.put(max, high);
    at.put(mean, shown(s.mean()));
    at.put(std_field, std::abs(a) * s.std());
    at.put(sum, a * s.sum() + b * static_cast<double>(s.counts().valid));
    const auto percentile = [&](double p) { return shown(s.percentile(a < 0 ? 100 - p : p)); };
    at.put(median, percentile(50));
    std::string all;
    for (const double p : call[percentiles])
        all +=
            (all.empty() ? "" : ",") + gdal::json_quote(gdal::number_text(p)) + ":" + gdal::number_text(percentile(p));
    at.put(percentile_values, {"{" + all + "}"});
    if (const auto bins = call[histogram_bins]) {
        auto counts = s.histogram(static_cast<std::size_t>(*bins));
        if (a < 0) std::reverse(counts.begin(), counts.end());
        auto in = at.at(histogram);
        in.put(bin_min, low);
        in.put(bin_max, high);
        in.put(bin_counts, counts);
    }
}

void put_band(gdalmcp::call& call, GDALRasterBand& band, const reading& r, const std::function<void(double)>& report) {
    const auto type = band.GetRasterDataType();
    if (GDALDataTypeIsComplex(type))
        throw error{
            GDALMCP_UNSUPPORTED,
            "band " + std::to_string(band.GetBand()) + " is " + dtype_name(type) + ": complex numbers have no order",
            "choose other bands with 'bands'"};
    statistics s{whole_numbers(type) && GDALGetDataTypeSizeBytes(type) <= 4, small_range(type)};
    each_strip(
        band, r, [&](const double* v, const unsigned char* ok, std::size_t n) { s.add(v, ok, n); },
        [&](double f) { report(0.5 * f); });
    if (s.needs_second_pass())
        each_strip(
            band, r, [&](const double* v, const unsigned char* ok, std::size_t n) { s.refine(v, ok, n); },
            [&](double f) { report(0.5 + 0.5 * f); });
    auto at = call.add(band_table);
    const double a = band.GetScale(), b = band.GetOffset();
    at.put(index, band.GetBand());
    at.put(description, std::string{band.GetDescription()});
    at.put(unit, std::string{band.GetUnitType()});
    at.put(valid_count, s.counts().valid);
    at.put(nodata_count, s.counts().nodata);
    at.put(nan_count, s.counts().nan);
    at.put(infinite_count, s.counts().infinite);
    at.put(scale, a);
    at.put(offset, b);
    at.put(approximate, s.approximate() || r.stride > 1);
    if (s.counts().valid > 0) put_figures(call, at, s, a, b);
    if (a != 1 || b != 0)
        call.say("band " + std::to_string(band.GetBand()) + ": scale " + gdal::number_text(a) + " and offset " +
                 gdal::number_text(b) + " were applied");
    warn_of_values(call, band, s);
}

void check_percentiles(const std::vector<double>& wanted) {
    if (!wanted.empty() && std::all_of(wanted.begin(), wanted.end(), [](double p) { return p > 0 && p < 1; }))
        throw error{GDALMCP_INVALID_ARGUMENT, "'percentiles' are all between 0 and 1, but they run from 0 to 100",
                    "for the 5th and 95th percentile give [5, 95]"};
}

void run(gdalmcp::call& call) {
    check_percentiles(call[percentiles]);
    const auto source = open_raster(call[uri], call[subdataset]);
    const grid g = grid_of(*source);
    const auto numbers = band_numbers(*source, call[bands]);
    reading r;
    r.w = {0, 0, g.width, g.height};
    std::optional<zone_mask> zone;
    if (const auto area = call[gdal::geometry_arg]) {
        const auto placed = gdal::place_geometry(*area, call[gdal::geometry_crs_arg], {g.crs, g.extent()});
        for (const auto& line : placed.said) call.say(line);
        for (const auto& line : placed.warnings) call.warn(line);
        zone.emplace(*placed.shape, g, call[all_touched]);
        r.zone = &*zone;
        r.w = zone->bounds();
        auto at = call.at(used_geometry);
        placed.put(at);
        at.put(clipped_share, zone->outside_share());
        if (zone->outside_share() > 0)
            call.warn(gdal::number_text(std::round(1000 * zone->outside_share()) / 10) +
                      " % of the geometry lies outside the raster and is not counted");
    }
    std::int64_t selected = r.w.cells();
    if (zone) {
        selected = 0;
        std::vector<unsigned char> mask;
        for (int row = 0; row < r.w.height; row += strip_rows(r.w)) {
            zone->read(row, std::min(strip_rows(r.w), r.w.height - row), mask);
            selected += std::count(mask.begin(), mask.end(), 1);
        }
    }
    if (const auto n = call[sample_size]; n && *n < r.w.cells())
        r.stride = static_cast<int>(std::ceil(std::sqrt(static_cast<double>(r.w.cells()) / static_cast<double>(*n))));
    if (r.stride > 1) call.say("sampled: every " + std::to_string(r.stride) + "th row and column");

    call.put(cell_count, selected);
    call.begin(band_table);
    for (std::size_t i = 0; i < numbers.size(); ++i)
        put_band(call, *source->GetRasterBand(numbers[i]), r,
                 [&](double f) { call.progress((static_cast<double>(i) + f) / static_cast<double>(numbers.size())); });
    const auto box = part_of(g, r.w).extent();
    if (g.crs.IsGeographic() && std::cos(box.MaxY * M_PI / 180) < 0.99 * std::cos(box.MinY * M_PI / 180))
        call.warn(
            "geographic CRS: cells shrink towards the pole, but every cell counts alike here; for means by area use "
            "aggregate_zonal or an equal-area CRS");
}

}  // namespace

const gdalmcp::tool raster_stats{{"raster_stats", "Raster statistics",
                                  "Statistics of the cells of a raster, or of those inside a geometry: min, max, mean, "
                                  "std (population), median, sum, "
                                  "percentiles (0 to 100), histogram. Nodata, NaN and infinite cells are counted apart "
                                  "and enter no figure; scale and offset "
                                  "are applied and said. All cells are read unless 'sample_size' is given. Every cell "
                                  "counts alike; for zones and weights by "
                                  "true area use the aggregation tools.",
                                  GDALMCP_READ_ONLY | GDALMCP_IDEMPOTENT},
                                 run,
                                 {uri, bands, percentiles, histogram_bins, sample_size, gdal::geometry_arg,
                                  gdal::geometry_crs_arg, all_touched, subdataset},
                                 {band_table, cell_count, used_geometry}};

}  // namespace gdalmcp_raster
