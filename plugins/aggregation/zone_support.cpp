#include <algorithm>
#include <cmath>
#include <gdalmcp/evidence.hpp>
#include <gdalmcp/gdal_cell_area.hpp>
#include <gdalmcp/standard.hpp>
#include <set>

#include "coverage.hpp"
#include "evidence_tools.hpp"
#include "gdal_zones.hpp"
#include "support.hpp"

namespace gdalmcp_aggregation::zone_support {
namespace {

using gdalmcp::error;
namespace evidence = gdalmcp::evidence;

const gdalmcp::arg<gdalmcp::raster> raster{.name = "raster", .about = "Raster whose values would be summarised."};
const gdalmcp::arg<gdalmcp::vector> zones{.name = "zones",
                                          .about = "Polygons to summarise within: a vector dataset or inline GeoJSON."};
const auto band_wanted =
    gdalmcp::standard::described(gdalmcp::standard::band, "Band of the raster, from 1. Default 1.");
const auto layer = gdalmcp::standard::described(
    gdalmcp::standard::layer, "Layer of 'zones'; needed where it holds several. Default: its only layer.");
const gdalmcp::arg<std::optional<gdalmcp::crs>> zones_crs{
    .name = "zones_crs", .about = "CRS of the zones where they declare none. Default: their own."};
const gdalmcp::arg<std::optional<gdalmcp::raster>> weights{
    .name = "weights", .about = "Raster that would weigh the cells; refused unless on the same grid. Default: none."};
const gdalmcp::arg<std::optional<bool>> by_area{.name = "weight_by_area",
                                                .about = "Cells would be weighted by their true area. Default: false."};
const gdalmcp::arg<std::optional<std::string>> zone_id{
    .name = "zone_id", .about = "Field that would name the zones, unique and not null. Default: none."};
const gdalmcp::arg<std::optional<std::string>> invalid_handling{
    .name = "invalid_zones", .about = "As in aggregate_zonal: repair measures invalid zones repaired, not left out."};
const gdalmcp::arg<std::optional<std::vector<std::string>>> statistic_wanted{
    .name = "statistic",
    .about = "The statistics under consideration; mean and median are compared with each other and a trimmed mean.",
    .examples = {"[\"mean\"]"},
    .or_single = true};

const gdalmcp::arg<std::optional<double>> value_wanted{
    .name = "value", .about = "A value to count under the zones, as of undeclared nodata. Default: none."};

const gdalmcp::field<std::int64_t> zone_count{"zones", "Zones of the layer", "zones"};
const gdalmcp::field<std::int64_t> measured_count{"zones_measured", "Of these, measured: valid and on the raster",
                                                  "zones"};
const gdalmcp::field<std::int64_t> outside_count{"zones_outside", "Off the raster, of those examined", "zones"};
const gdalmcp::field<std::int64_t> invalid_count{"zones_invalid", "Without a usable outline, of those examined",
                                                 "zones"};
const gdalmcp::field<double> cells_median{"cells_median", "Median size of a zone: its area / area of a cell", "cells"};
const gdalmcp::field<double> cells_min{"cells_min", "Size of the smallest zone", "cells"};
const gdalmcp::field<std::int64_t> below_cell{"zones_below_one_cell", "Measured zones smaller than one cell", "zones"};
const gdalmcp::field<double> boundary{
    "boundary_share_median", "Median over zones of the share of a zone's cells that its outline cuts", "0 to 1"};
const gdalmcp::field<double> centre_error{
    "centre_rule_error_median",
    "Median over zones of the expected relative error (one standard deviation) of counting cells by their centres",
    "0 to 1"};
const auto skew_field =
    gdalmcp::field<double>{"skew",
                           "(mean - median) / standard deviation of the values under the zones; absent without any"}
        .optional();
const auto top_share =
    gdalmcp::field<double>{
        "top_share",
        "Share of the sum that lies in the greatest 1 % of the values under the zones; absent where a "
        "value is negative",
        "0 to 1"}
        .optional();
const auto nodata_share = gdalmcp::field<double>{"nodata_share",
                                                 "Share of the cells under the zones that have no value; absent where "
                                                 "the sample holds no zone",
                                                 "0 to 1"}
                              .optional();

const auto share_of_value =
    gdalmcp::field<std::string>{
        "value_share", "Share of the cells with a value under the zones that have the value asked about, in words"}
        .optional();

const std::set<std::string_view> typical{"mean", "median"},
    levels_and_spreads{"mean", "median", "quantile", "stdev", "stdev_sample", "variance"};

constexpr std::size_t max_zones = 2000, most_read = 200000;
constexpr std::size_t most_cells = 4000000;  // read zone by zone

struct measured_zones {
    std::vector<zone> outlines;  // of measured zones
    std::vector<double> cells, shares, errors;
    std::size_t read = 0, outside = 0, invalid = 0, below = 0;
    window block;  // the smallest with all of them

    void add(zone outline, const window& place) {
        const double area = area_of(outline), cut = cut_cells(outline);
        cells.push_back(area);
        shares.push_back(boundary_share(area, cut));
        errors.push_back(centre_rule_error(area, cutting_length(outline)));
        below += area < 1;
        block = around(block, place);
        outlines.push_back(std::move(outline));
    }
};

// Every n-th zone, so that at most 2000 are measured, of the first 200 000.
measured_zones measure_zones(gdalmcp::call& call, zone_layer& areas, const value_raster& values) {
    measured_zones found;
    const auto within_reach = std::min(areas.size(), most_read);
    const auto every = std::max<std::size_t>(1, (within_reach + max_zones - 1) / max_zones);
    for (std::size_t n = 0; n < within_reach; n += every) {
        call.progress(0.7 * static_cast<double>(n) / static_cast<double>(within_reach), "zones");
        auto z = areas.next();
        if (!z) break;
        ++found.read;
        areas.skip(every - 1);
        if (!z->problem.empty()) {
            ++found.invalid;
            continue;
        }
        const auto place = enclosing(z->outline, values.rows(), values.columns());
        if (place.size() == 0)
            ++found.outside;
        else if (area_of(z->outline) > 0)
            found.add(std::move(z->outline), place);
        else
            ++found.invalid;
    }
    return found;
}

// Marks the cells of a block that a zone covers at least in part.
std::vector<unsigned char> under_zones(const measured_zones& found, const window& block, const value_raster& values) {
    std::vector<unsigned char> under(block.size(), 0);
    for (const auto& outline : found.outlines) {
        const auto part = common(enclosing(outline, values.rows(), values.columns()), block);
        if (part.size() == 0) continue;
        const auto shares = cover(outline, part, coverage_rule::all_touched);
        for (std::size_t i = 0; i < shares.size(); ++i)
            if (shares[i] > 0)
                under[(part.row - block.row + i / part.width) * block.width + part.column - block.column +
                      i % part.width] = 1;
    }
    return under;
}

struct sample {
    std::vector<double> values;
    std::size_t under = 0, missing = 0, read = 0;
};

sample read_values(gdalmcp::call& call, const measured_zones& found, const value_raster& values) {
    sample s;
    const auto blocks =
        evidence::spread_blocks(static_cast<int>(found.block.width), static_cast<int>(found.block.height));
    for (std::size_t n = 0; n < blocks.size(); ++n) {
        call.progress(0.7 + 0.3 * static_cast<double>(n) / static_cast<double>(blocks.size()), "values");
        const auto& b = blocks[n];
        const window block{found.block.row + static_cast<std::size_t>(b.row),
                           found.block.column + static_cast<std::size_t>(b.column), static_cast<std::size_t>(b.height),
                           static_cast<std::size_t>(b.width)};
        const auto under = under_zones(found, block, values);
        const auto read = values.read(static_cast<int>(call[band_wanted]), block);
        s.read += block.size();
        for (std::size_t i = 0; i < under.size(); ++i) {
            if (!under[i]) continue;
            ++s.under;
            if (read.valid[i] && std::isfinite(read.value[i]))
                s.values.push_back(read.value[i]);
            else
                ++s.missing;
        }
    }
    return s;
}

// Whether every statistic is one of those compared: a sum or a majority stands for something else. A list may come
// joined, as in the key of the question: "mean+median".
bool are_among(const std::set<std::string_view>& these, const std::vector<std::string>& names) {
    for (const auto& joined : names)
        for (std::size_t from = 0; from <= joined.size();) {
            const auto end = std::min(joined.find('+', from), joined.size());
            if (these.count(std::string_view{joined}.substr(from, end - from)) == 0) return false;
            from = end + 1;
        }
    return !names.empty();
}

// The true areas of the cells where they differ, and a mean may weigh by them.
std::optional<gdalmcp::gdal::cell_areas> unequal_areas(gdalmcp::call& call, const value_raster& values) {
    constexpr double alike = 1.001;
    if (call[weights] || call[by_area].value_or(false)) return std::nullopt;
    const int columns = static_cast<int>(values.columns()), rows = static_cast<int>(values.rows());
    const auto range = gdalmcp::gdal::cell_areas::extremes(values.crs(), values.geotransform(), columns, rows);
    if (!range || (*range)[1] <= alike * (*range)[0]) return std::nullopt;
    return gdalmcp::gdal::cell_areas::of(values.crs(), values.geotransform(), columns, rows);
}

// The values of a zone with the covered shares of their cells and, where `areas` has them, with their true areas.
std::vector<covered_value> values_of(const zone& outline, const window& place, const value_raster& values, int band,
                                     const std::optional<gdalmcp::gdal::cell_areas>& areas) {
    const auto read = values.read(band, place);
    const auto shares = cover(outline, place, coverage_rule::fraction);
    std::vector<covered_value> cells;
    for (std::size_t i = 0; i < shares.size(); ++i) {
        if (!(shares[i] > 0) || !read.valid[i] || !std::isfinite(read.value[i])) continue;
        const auto row = static_cast<std::int64_t>(place.row + i / place.width);
        const double column = static_cast<double>(place.column + i % place.width) + 0.5;
        const double area = areas ? areas->at(column, row) : 1;
        cells.push_back({read.value[i], shares[i], std::isfinite(area) ? area : 0});
    }
    return cells;
}

// What mean, median, trimmed mean and, on cells of different areas, a mean by area make of each zone; the zone where
// they differ most. only_equal: nothing, unless
// the values of each zone are equal, where whatever states their level or spread states the same.
void put_comparison(gdalmcp::call& call, const measured_zones& found, const value_raster& values, bool all,
                    bool only_equal) {
    const int band = static_cast<int>(call[band_wanted]);
    const auto areas = only_equal ? std::nullopt : unequal_areas(call, values);
    std::optional<typical_values> most;
    std::size_t read = 0, left_out = 0;
    for (const auto& outline : found.outlines) {
        const auto place = enclosing(outline, values.rows(), values.columns());
        if (read + place.size() > most_cells) {
            ++left_out;
            continue;
        }
        read += place.size();
        const auto cells = values_of(outline, place, values, band, areas);
        const auto differs = [&](const covered_value& c) { return c.value != cells.front().value; };
        if (only_equal && std::any_of(cells.begin(), cells.end(), differs)) return;
        const auto t = typical_of(cells);
        if (t && (!most || t->relative_difference() > most->relative_difference())) most = t;
    }
    if (!most) return;
    const double relative = most->relative_difference();
    // A difference in one zone or band is one in the result. No difference there leaves the others open.
    if (relative <= evidence::tolerance && (!all || left_out > 0 || values.bands() > 1)) return;
    evidence::comparison compared{
        areas ? "a zone's value (mean, median, 10 % trimmed mean, weighted_mean with weight_by_area)"
              : "a zone's value (mean, median, 10 % trimmed mean)",
        {{"mean", most->mean}, {"median", most->median}, {"trimmed_mean", most->trimmed_mean}},
        relative,
        values.band_unit(band)};
    if (areas) compared.values.push_back({"by area", most->mean_by_area});
    evidence::put_spread(call, compared);
}

void put_sizes(gdalmcp::call& call, const measured_zones& found, std::size_t all) {
    call.put(zone_count, static_cast<std::int64_t>(all));
    call.put(measured_count, static_cast<std::int64_t>(found.cells.size()));
    call.put(outside_count, static_cast<std::int64_t>(found.outside));
    call.put(invalid_count, static_cast<std::int64_t>(found.invalid));
    call.put(cells_median, evidence::figure(median_of(found.cells)));
    call.put(cells_min, evidence::figure(*std::min_element(found.cells.begin(), found.cells.end())));
    call.put(below_cell, static_cast<std::int64_t>(found.below));
    call.put(boundary, evidence::figure(median_of(found.shares)));
    call.put(centre_error, evidence::figure(median_of(found.errors)));
}

std::string sizes_clause(const measured_zones& found, std::size_t all) {
    const auto measured = found.cells.size();
    return (measured == all ? "" : std::to_string(measured) + " of ") + std::to_string(all) +
           (all == 1 ? " zone, as large as " : " zones, as large as ") + evidence::text(median_of(found.cells)) +
           " cells (median; least " + evidence::text(*std::min_element(found.cells.begin(), found.cells.end())) + ")" +
           (found.below ? ", " + std::to_string(found.below) + " below one cell" : "");
}

void run(gdalmcp::call& call) {
    const value_raster values{call[raster]};
    values.require_band(call[band_wanted]);
    // As aggregate_zonal refuses it.
    if (const auto names = call[statistic_wanted]; names && !call[weights] && !call[by_area].value_or(false))
        for (const auto& joined : *names)
            if (joined.find("weighted_") != std::string::npos)
                throw error{GDALMCP_INVALID_ARGUMENT, "a weighted statistic is requested, but no weights are given",
                            "give 'weights' (a raster) or set weight_by_area"};
    if (const auto weighing = call[weights]) values.require_same_grid(value_raster{*weighing});
    const bool repair = call[invalid_handling] == "repair";
    zone_layer areas{call[zones],
                     {.layer = call[layer],
                      .id_field = call[zone_id],
                      .crs = call[zones_crs],
                      .invalid = repair ? invalid_zones::repair : invalid_zones::leave_out,
                      .quick = true},
                     values};
    const auto found = measure_zones(call, areas, values);
    // As aggregate_zonal refuses it, if no zone was left out.
    const bool nowhere = found.outside == areas.size();
    if (found.cells.empty())
        throw error{nowhere ? GDALMCP_INVALID_ARGUMENT : GDALMCP_UNSUPPORTED,
                    "no valid zone lies on the raster: " + std::to_string(found.outside) + " lie outside it, " +
                        std::to_string(found.invalid) + " have no usable outline; the zones reach " +
                        areas.extent_text() + ", " + values.path() + " covers " +
                        gdalmcp::gdal::extent_text(values.extent(), values.crs()),
                    "check the CRS of both with raster_info and vector_info"};
    put_sizes(call, found, areas.size());
    const auto s = read_values(call, found, values);
    const auto spread = spread_of(s.values);
    std::string tail;
    if (spread) {
        call.put(skew_field, evidence::figure(spread->skew));
        tail = "mean - median = " + evidence::text(spread->skew) + " standard deviations";
        if (spread->top_share) {
            call.put(top_share, evidence::figure(*spread->top_share));
            tail += ", top 1 % of cells hold " + evidence::percent(*spread->top_share) + " of the sum";
        }
    }
    std::string gaps;
    if (s.under > 0) {
        const double share = static_cast<double>(s.missing) / static_cast<double>(s.under);
        call.put(nodata_share, evidence::figure(share));
        if (s.missing > 0) gaps = evidence::percent(share) + " of their cells have no value";
    }
    if (const auto v = call[value_wanted]; v && !s.values.empty()) {
        const bool every = found.read == areas.size() && s.read == found.block.size();
        auto& band = values.band(static_cast<int>(call[band_wanted]));
        const double asked = *v * band.GetScale() + band.GetOffset();  // it is stored, the values are scaled
        const auto n = std::count(s.values.begin(), s.values.end(), asked);
        call.put(share_of_value, evidence::percent(static_cast<double>(n) / static_cast<double>(s.values.size())) +
                                     " (" + std::to_string(n) + " of " + std::to_string(s.values.size()) + ") of " +
                                     (every ? "" : "a sample of ") + "the cells under the zones");
    }
    if (const auto names = call[statistic_wanted]; names && are_among(levels_and_spreads, *names))
        put_comparison(call, found, values, found.read == areas.size(), !are_among(typical, *names));
    const bool all_zones = found.read == areas.size(), all_cells = s.read == found.block.size();
    const auto sampled = evidence::put_read(
        call, all_zones && all_cells,
        std::to_string(found.read) + " of " + std::to_string(areas.size()) + " zones; " + std::to_string(s.read) +
            " of " + std::to_string(found.block.size()) + " cells around them",
        all_zones ? std::to_string(s.read) + " cells" : std::to_string(found.read) + " zones");
    evidence::conclude(
        call,
        {all_zones ? "" : sampled, sizes_clause(found, areas.size()),
         "outlines cut " + evidence::percent(median_of(found.shares)) +
             " of a zone's cells, counting centres errs by " + evidence::percent(median_of(found.errors)),
         all_zones ? sampled : "", gaps, tail},
        "Zone area / cell area on the grid; lattice-point variance 0.0728 x perimeter (Kendall 1948) "
        "for counting centres");
}

}  // namespace

const gdalmcp::tool tool{
    {.name = "zone_support",
     .title = "Cells behind zonal statistics",
     .about =
         "How well a raster supports statistics of zones: cells per zone, zones below one cell, the share of cells "
         "that "
         "outlines cut, the expected error of counting cell centres; and of the values under the zones the skew, the "
         "weight of the greatest 1 % and the share without data; for mean and median, how far they lie apart. Nothing "
         "is "
         "written. At most 2000 zones are measured "
         "and about a million cells read.",
     .behaviour = GDALMCP_READ_ONLY | GDALMCP_IDEMPOTENT},
    run,
    {raster, zones, band_wanted, layer, zones_crs, zone_id, weights, by_area, statistic_wanted, value_wanted,
     invalid_handling},
    {evidence::summary, evidence::source, evidence::approximate, evidence::read, zone_count, measured_count,
     outside_count, invalid_count, cells_median, cells_min, below_cell, boundary, centre_error, skew_field, top_share,
     nodata_share, share_of_value, evidence::spread}};

}  // namespace gdalmcp_aggregation::zone_support
