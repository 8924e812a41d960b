#include <gdalmcp/gdal_blocks.hpp>
#include <gdalmcp/standard.hpp>

#include <algorithm>
#include <cmath>

#include "datasets/gdal_cell_size.hpp"
#include "gdal_zone_table.hpp"
#include "raster/gdal_amounts.hpp"
#include "raster/gdal_undeclared_nodata.hpp"
#include "tools.hpp"
#include "zonal_report.hpp"
#include "zone_book.hpp"

namespace gdalmcp_aggregation::aggregate_zonal {
namespace {

using gdalmcp::error;

const gdalmcp::arg<gdalmcp::raster> raster{.name = "raster",
                                           .about = "Raster to summarise; scale and offset are applied."};

const gdalmcp::arg<gdalmcp::vector> zones{.name = "zones",
                                          .about = "Polygons: a vector dataset or inline GeoJSON, in any CRS."};

const gdalmcp::arg<std::vector<gdalmcp::choice>> stats{
    .name = "stats",
    .about =
        "frac: share and true area of each class; count: sum of covered shares; weighted_*: need weights or "
        "weight_by_area.",
    .values = {"count", "sum", "mean", "min", "max", "stdev", "coefficient_of_variation", "median", "majority",
               "minority", "variety", "frac", "weighted_sum", "weighted_mean", "variance", "weighted_stdev", "quantile",
               "min_location", "max_location"},
    .synonyms = {{"avg", "mean"},
                 {"average", "mean"},
                 {"minimum", "min"},
                 {"maximum", "max"},
                 {"std", "stdev"},
                 {"stddev", "stdev"},
                 {"standard_deviation", "stdev"},
                 {"cv", "coefficient_of_variation"},
                 {"mode", "majority"},
                 {"unique", "variety"},
                 {"fraction", "frac"},
                 {"var", "variance"},
                 {"weighted_std", "weighted_stdev"},
                 {"quantiles", "quantile"},
                 {"percentile", "quantile"}},
    .examples = {R"(["mean"])", R"(["frac"])"},
    .min_items = 1,
    .max_items = 19};

const gdalmcp::arg<std::optional<std::vector<double>>> quantiles{.name = "quantiles",
                                                                 .about = "Shares for quantile: 0.5 is the median.",
                                                                 .min = 0,
                                                                 .max = 1,
                                                                 .min_items = 1,
                                                                 .max_items = 20,
                                                                 .or_single = true};

const auto& bands = gdalmcp::standard::bands;

const gdalmcp::arg<std::optional<gdalmcp::raster>> weights{.name = "weights",
                                                           .about = "Raster on the same grid that weighs cells."};

const gdalmcp::arg<bool> weight_by_area{
    .name = "weight_by_area", .about = "weighted_* weigh cells by true area [m2].", .fallback = false};

const gdalmcp::arg<std::optional<std::string>> zone_id{
    .name = "zone_id", .about = "Field that names the zones, unique and not null. Default: FID with two text fields."};

const auto& layer = gdalmcp::standard::layer;

const gdalmcp::arg<std::optional<gdalmcp::crs>> zones_crs{.name = "zones_crs",
                                                          .about = "CRS of zones that state none, x first."};

const gdalmcp::arg<gdalmcp::choice> coverage{
    .name = "coverage",
    .about = "Cells count by the share inside (fraction), their centre, or any touch.",
    .fallback = gdalmcp::choice{"fraction"},
    .values = {"fraction", "center", "all_touched"},
    .synonyms = {{"centre", "center"}, {"touched", "all_touched"}}};

const gdalmcp::arg<double> min_coverage{.name = "min_coverage",
                                        .about = "Leave out cells covered less than this share.",
                                        .fallback = 0.0,
                                        .min = 0,
                                        .max = 1};

const gdalmcp::arg<gdalmcp::choice> invalid{
    .name = "invalid_zones",
    .about = "Of zones with invalid outlines, which are listed; repair may change areas.",
    .fallback = gdalmcp::choice{"leave_out"},
    .values = {"leave_out", "repair", "refuse"}};

const gdalmcp::arg<std::int64_t> limit{
    .name = "limit", .about = "Rows in the result; 'output' holds all.", .fallback = 20, .min = 1, .max = 500};

const auto& output = gdalmcp::standard::table_output;
const auto& overwrite = gdalmcp::standard::overwrite;

// Shares without a statistic, or the statistic without shares, are refused.
std::vector<double> shares_of(gdalmcp::call& call, const std::vector<statistic>& wanted) {
    const bool named = std::find(wanted.begin(), wanted.end(), statistic::quantile) != wanted.end();
    if (named != call.given(quantiles))
        throw error{GDALMCP_INVALID_ARGUMENT,
                    named ? "stats names quantile, but 'quantiles' does not say which"
                          : "'quantiles' is given, but stats does not name quantile",
                    named ? "give 'quantiles', for example [0.1, 0.9]" : "add quantile to stats"};
    std::vector<double> shares;
    for (const double q : call[quantiles].value_or(std::vector<double>{}))
        if (std::find(shares.begin(), shares.end(), q) == shares.end()) shares.push_back(q);
    return shares;
}

sweep_request read_request(gdalmcp::call& call, const value_raster& values) {
    sweep_request r;
    for (const auto& name : call[stats]) {
        const auto s = *statistic_named(name.value);
        if (std::find(r.wanted.begin(), r.wanted.end(), s) == r.wanted.end()) r.wanted.push_back(s);
        r.weighted = r.weighted || needs_weights(s);
    }
    r.quantiles = shares_of(call, r.wanted);
    const bool by_area = call[weight_by_area], has_weights = call.given(weights);
    if (by_area && has_weights)
        throw error{GDALMCP_INVALID_ARGUMENT, "weights and weight_by_area are both given", "leave one of them out"};
    if (r.weighted != (by_area || has_weights))
        throw error{GDALMCP_INVALID_ARGUMENT,
                    r.weighted ? "a weighted statistic is requested, but no weights are given"
                               : "weights are given, but no statistic uses them",
                    r.weighted ? "give 'weights' (a raster) or set weight_by_area"
                               : "add weighted_mean or weighted_sum to stats, or leave the weights out"};
    if (const auto chosen = call[bands]) {
        for (const auto b : *chosen) {
            values.require_band(b);
            if (std::find(r.bands.begin(), r.bands.end(), static_cast<int>(b)) == r.bands.end())
                r.bands.push_back(static_cast<int>(b));
        }
    } else {
        for (int b = 1; b <= values.bands(); ++b)
            if (values.bands() == 1 || !gdalmcp_datasets::is_alpha(values.band(b)))
                r.bands.push_back(b);
            else
                call.say("Band " + std::to_string(b) + " is an alpha band, which marks cells, and was left out.");
    }
    const auto rule = call[coverage].value;
    r.rule = rule == "center"        ? coverage_rule::center
             : rule == "all_touched" ? coverage_rule::all_touched
                                     : coverage_rule::fraction;
    r.least_share = call[min_coverage];
    if (r.least_share > 0 && r.rule != coverage_rule::fraction)
        throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT,
                             "min_coverage is given, but coverage is " + rule + ", where cells count as a whole",
                             "leave out 'min_coverage', or 'coverage'"};
    r.threads = gdalmcp::gdal::threads_of_call();
    return r;
}

invalid_zones handling_of(const gdalmcp::choice& chosen) {
    return chosen.value == "repair"   ? invalid_zones::repair
           : chosen.value == "refuse" ? invalid_zones::refuse
                                      : invalid_zones::leave_out;
}

// Adds up values or averages them, each cell by its share alone.
bool adds_up(statistic s) {
    return s == statistic::sum || s == statistic::mean || s == statistic::stdev || s == statistic::variance ||
           s == statistic::coefficient_of_variation || s == statistic::median || s == statistic::quantile;
}

// Whether an undeclared nodata value changes it without being seen; `frac` shows it as a class.
bool counts_cells(statistic s) { return s != statistic::frac; }

void warn_of_meaning(gdalmcp::call& call, const value_raster& values, const sweep_request& asked) {
    const bool averages = std::any_of(asked.wanted.begin(), asked.wanted.end(),
                                      [](statistic s) { return adds_up(s) || needs_weights(s); });
    const bool ranks = std::any_of(asked.wanted.begin(), asked.wanted.end(), [](statistic s) {
        return s == statistic::min || s == statistic::max || needs_places(s);
    });
    const auto adds = [](statistic s) {
        return s == statistic::sum || s == statistic::weighted_sum || s == statistic::count;
    };
    if (asked.least_share > 0 && std::any_of(asked.wanted.begin(), asked.wanted.end(), adds))
        call.warn("cells that no zone covers by " + gdalmcp::gdal::number_text(asked.least_share) +
                  " ('min_coverage') count in none: totals of zones that adjoin miss those along their borders");
    for (const int b : asked.bands) {
        values.tell_ignored_scale(call, b);
        if (values.is_scaled(b)) call.say("Band " + std::to_string(b) + ": scale and offset were applied.");
        if (!averages && !ranks) continue;
        const auto kind = gdalmcp::gdal::kind_of(values.band(b));
        if (kind.kind == gdalmcp::gdal::value_kind::classes)
            call.warn("band " + std::to_string(b) + " looks like class codes (" + kind.why +
                      "): " + (averages ? "sums and averages" : "the least and the greatest") +
                      " of codes mean nothing; use \"stats\": [\"frac\"] for the share and area of each class");
        if (ranks && kind.kind == gdalmcp::gdal::value_kind::angle)
            call.warn("band " + std::to_string(b) + " holds angles (" + kind.why +
                      "): around the circle none is the least or the greatest");
    }
}

// Looked for in a sample of the raster, which a patch may escape, and in the cells that were counted.
void warn_of_marks(gdalmcp::call& call, const value_raster& values, const sweep_request& asked, const zone_book& book) {
    if (std::none_of(asked.wanted.begin(), asked.wanted.end(), counts_cells)) return;
    for (std::size_t i = 0; i < asked.bands.size(); ++i) {
        const int b = asked.bands[i];
        const auto doubts = gdalmcp_raster::undeclared_nodata(values.path(), values.band(b));
        for (const auto& doubt : doubts) call.warn(doubt);
        if (!doubts.empty() || values.is_scaled(b)) continue;
        std::optional<double> mark;
        std::string zone;
        std::size_t holding = 0;
        for (const auto& z : book.results()) {
            if (z.bands.empty() || z.bands[i].cells == 0) continue;
            for (const double end : {z.bands[i].least, z.bands[i].greatest})
                if (gdalmcp::customary_nodata(end)) {
                    if (!mark) mark = end, zone = z.id;
                    ++holding;
                    break;
                }
        }
        if (mark)
            call.warn("band " + std::to_string(b) + " of " + values.path() + " holds " +
                      gdalmcp::gdal::number_text(*mark) + " in zone " + zone +
                      (holding > 1 ? " and " + std::to_string(holding - 1) + " more" : "") +
                      ": it looks like an undeclared nodata value, and is in the statistics; declare it with "
                      "raster_convert and 'nodata'");
    }
}

// A total of what has data is none of the zone, nor are the areas of its classes. Another statistic of a part of it may
// speak for the rest, if that has no data, but not for what lies beyond the raster.
void warn_of_partial_zones(gdalmcp::call& call, const sweep_request& asked, const zone_book& book) {
    const auto any = [&](auto&& is) { return std::any_of(asked.wanted.begin(), asked.wanted.end(), is); };
    const bool totals = any([](statistic s) { return s == statistic::sum || s == statistic::weighted_sum; });
    const bool classes = any([](statistic s) { return s == statistic::frac; });
    if (!totals && !classes && !any([](statistic s) { return s != statistic::count; })) return;
    std::size_t partial = 0;
    double least = 1;
    std::string where;
    for (const auto& z : book.results())
        for (const auto& b : z.bands) {
            const double most = totals || classes || !z.on_grid ? 0.95  // whole cells cover small zones no better
                                                                : 0.5;
            const double share = z.data_share(b);
            if (b.cells == 0 || share >= most) continue;
            ++partial;
            if (share < least) least = share, where = z.id;
        }
    if (partial == 0) return;
    const bool one = partial == 1;
    const auto number = std::to_string(partial);
    const auto what = totals    ? number + (one ? " total is" : " totals are")
                      : classes ? "the classes of " + number + (one ? " zone are" : " zones are")
                                : number + (one ? " value is" : " values are");
    call.warn(what + " of a part of the zone, " + (one ? "" : "at worst ") + "in zone " + where + " of " +
              gdalmcp::gdal::number_text(std::round(1000 * least) / 10) +
              " % of its area: the rest has no data, see data_share");
}

// The same of values that have no weight.
void warn_of_missing_weights(gdalmcp::call& call, const sweep_request& asked, const zone_book& book) {
    const auto& wanted = asked.wanted;
    const bool totals = std::find(wanted.begin(), wanted.end(), statistic::weighted_sum) != wanted.end();
    const double most = totals ? 0.05 : 0.5;
    std::size_t partial = 0;
    std::string first;
    for (const auto& z : book.results())
        for (const auto& b : z.bands)
            if (static_cast<double>(b.unweighted) > most * static_cast<double>(b.cells) && partial++ == 0)
                first = "in zone " + z.id + " " + std::to_string(b.unweighted) + " of " + std::to_string(b.cells) +
                        " cells";
    if (partial > 0)
        call.warn(std::to_string(partial) + (partial == 1 ? " weighted value is" : " weighted values are") +
                  " of a part of the zone: " + first + " have no weight, see unweighted_cells");
}

// On a geographic grid, where the cells of one zone are of several latitudes: of the zone with the largest difference.
void warn_of_unequal_cells(gdalmcp::call& call, const value_raster& values, const sweep_request& asked,
                           const zone_book& book) {
    std::string counting;
    bool shares = false, averages = false;
    // Totals per cell count alike, whatever ground they are of.
    const bool amounts = std::all_of(asked.bands.begin(), asked.bands.end(), [&](int b) {
        return gdalmcp::gdal::kind_of(values.band(b)).kind == gdalmcp::gdal::value_kind::count;
    });
    for (const auto s : asked.wanted) {
        const bool averages_cells = adds_up(s) && s != statistic::sum && !amounts;
        const bool alike = s == statistic::frac || (averages_cells && !call[weight_by_area]);
        if (!alike) continue;
        (s == statistic::frac ? shares : averages) = true;
        counting += (counting.empty() ? "" : ", ") + std::string{statistic_names[static_cast<std::size_t>(s)]};
    }
    const auto worst = counting.empty() ? std::nullopt : most_unequal(book.zones().where, values.row_areas());
    if (!worst) return;
    const auto text = gdalmcp_datasets::unequal_cells(
        worst->least, worst->most, counting,
        std::string{shares ? "for shares by area use aggregate_classes" : ""} + (shares && averages ? ", " : "") +
            (averages ? "for means by area add weighted_mean with weight_by_area" : ""));
    if (!text.empty()) call.warn("in zone " + book.results()[worst->block].id + " " + text);
}

constexpr std::size_t max_classes = 64;

error too_many_classes(std::size_t distinct, int band) {
    return {GDALMCP_INVALID_ARGUMENT,
            "frac is for class codes, at most " + std::to_string(max_classes) + "; band " + std::to_string(band) +
                " holds " + std::to_string(distinct) + " different values in the zones read so far",
            "select the class band with bands, or use mean, median or stdev for measurements"};
}

sweep_source source_of(const value_raster& values, const std::optional<value_raster>& weight_values,
                       const gdalmcp::gdal::cell_areas* areas, int first_band) {
    const auto stored = values.stored_block(first_band);
    sweep_source s{values.rows(), values.columns(), stored.height, stored.width, {}, {}, {}};
    s.read = [&](int band, const window& block, block_values& into) { values.read(band, block, into); };
    if (weight_values)
        s.read_weights = [&](const window& block, block_values& into) { weight_values->read(1, block, into); };
    if (areas) s.cell_areas = areas_from(*areas);
    return s;
}

// The sweep reads each block once, all bands of a part before the next part: GDAL need not keep more than the blocks of
// one, which hold every band where bands are interleaved. In bytes.
std::int64_t cache_of_sweep(const value_raster& values, int first_band) {
    const auto block = static_cast<std::int64_t>(values.stored_block(first_band).size() * sizeof(double));
    return std::max(std::int64_t{64} << 20, 2 * block * values.bands());
}

void write_table(gdalmcp::call& call, zone_layer& areas, const value_raster& values, const zone_book& book,
                 const sweep_request& asked, bool with_areas) {
    zone_table table{call[output].path, areas, values, asked, book.classes(), with_areas};
    areas.rewind();
    std::size_t done = 0;
    for (const auto& z : book.results()) {
        if (done++ % 64 == 0)
            call.progress(0.9 + 0.1 * static_cast<double>(done) / static_cast<double>(book.results().size()), "table");
        const auto outline = table.with_outlines() ? areas.next_geometry() : nullptr;
        for (std::size_t b = 0; b < asked.bands.size(); ++b)
            table.add(z, asked.bands[b], z.bands.empty() ? nullptr : &z.bands[b], outline.get());
    }
    table.close();
    const auto crs = table.with_outlines() ? gdalmcp::gdal::crs_text(areas.crs()) : std::string{};
    call.expect(output, {.crs = crs, .features = table.rows()});
}

// The areas of the classes of each zone that has a value in every cell.
std::vector<counted_area> areas_of_classes(const zone_book& book) {
    std::vector<counted_area> all;
    for (const auto& z : book.results())
        for (const auto& band : z.bands) {
            if (band.nodata + band.nan + band.infinite > 0) continue;
            all.push_back({&z, 0});
            for (const auto& c : band.classes) all.back().area += c.area;
        }
    return all;
}

void run(gdalmcp::call& call) {
    const value_raster values{call[raster]};
    const auto asked = read_request(call, values);
    zone_table::has_outlines(call[output].path);  // a wrong extension is refused before anything is read
    std::optional<value_raster> weight_values;
    if (call.given(weights)) {
        weight_values.emplace(*call[weights]);
        values.require_same_grid(*weight_values);
        gdalmcp_raster::warn_of_no_amounts(call, weight_values->path(), weight_values->band(1), "weight");
        if (weight_values->bands() > 1)
            call.warn("weights has " + std::to_string(weight_values->bands()) +
                      " bands: band 1 weighs the cells; for another one give a raster of that band alone, made with "
                      "raster_convert");
    }
    std::optional<gdalmcp::gdal::cell_areas> areas_of_cells;
    const bool by_class = std::find(asked.wanted.begin(), asked.wanted.end(), statistic::frac) != asked.wanted.end();
    if (by_class || call[weight_by_area])
        areas_of_cells = gdalmcp::gdal::cell_areas::of(
            values.crs(), values.geotransform(), static_cast<int>(values.columns()), static_cast<int>(values.rows()));
    const bool with_areas = areas_of_cells.has_value();
    if (call[weight_by_area] && !with_areas)
        throw error{GDALMCP_INVALID_ARGUMENT,
                    "weight_by_area needs the true areas of cells, but " + values.path() +
                        (values.crs().IsEmpty() ? " has no CRS" : " has a CRS without an ellipsoid"),
                    "leave it out, or give a raster of cell areas as 'weights'"};
    zone_layer areas{call[zones], {call[layer], call[zone_id], call[zones_crs], handling_of(call[invalid])}, values};
    zonal_report told{call, values, asked.bands, asked.wanted};
    told.put_frame(areas, call[coverage].value);
    warn_of_meaning(call, values, asked);
    zone_book book{call, areas, values, asked, {max_classes, too_many_classes}};
    const gdalmcp::gdal::small_block_cache cache{cache_of_sweep(values, asked.bands.front())};
    const auto overlaps_found =
        sweep(source_of(values, weight_values, with_areas ? &*areas_of_cells : nullptr, asked.bands.front()), asked,
              book.zones(), [&](double f) { call.progress(0.3 + 0.6 * f, "raster"); });
    for (const auto& warning : areas.warnings()) call.warn(warning);
    book.require_zones(values);
    warn_of_marks(call, values, asked, book);
    warn_of_partial_zones(call, asked, book);
    warn_of_missing_weights(call, asked, book);
    if (const auto text = unplaced_text(book.results()); !text.empty()) call.warn(text);
    warn_of_unequal_cells(call, values, asked, book);
    if (const auto text = coarse_cells_text(areas_of_classes(book)); !text.empty()) call.warn(text);
    told.put_rows(book.results(), static_cast<std::size_t>(call[limit]), with_areas);
    told.put_overlaps(overlaps_found, book.results());
    write_table(call, areas, values, book, asked, with_areas);
    call.say("Summarised " + std::to_string(asked.bands.size()) + " band(s) in " + std::to_string(areas.size()) +
             " zones, coverage " + call[coverage].value + ".");
}

}  // namespace

const gdalmcp::tool tool{
    {.name = "aggregate_zonal",
     .title = "Zonal statistics",
     .about = "Statistics of a raster in polygons: sum for counts, mean or median for measurements, frac for classes. "
              "Cells count by the exact share inside; areas are true. Zones without data are listed, never 0.",
     .behaviour = GDALMCP_DESTRUCTIVE | GDALMCP_IDEMPOTENT},
    run,
    {raster, zones, stats, quantiles, bands, weights, weight_by_area, zone_id, layer, zones_crs, invalid, coverage,
     min_coverage, limit, output, overwrite},
    {crs_fields.all, coverage_used, id_field, label_fields, band_table, matched_total, truncated, rows, without_data,
     problems, overlaps}};

}  // namespace gdalmcp_aggregation::aggregate_zonal
