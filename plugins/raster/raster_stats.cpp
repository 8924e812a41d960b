#include <gdalmcp/gdal_kind.hpp>

#include "arguments.hpp"
#include "datasets/gdal_cell_size.hpp"
#include "datasets/percentiles.hpp"
#include "gdal_band_cells.hpp"
#include "gdal_band_report.hpp"
#include "gdal_class_areas.hpp"
#include "tools.hpp"

namespace gdalmcp_raster::raster_stats {
namespace {

using band_fields::band_table;
using gdalmcp::arg;
using gdalmcp::error;
using gdalmcp::field;
using gdalmcp::json_text;
namespace gdal = gdalmcp::gdal;

constexpr std::int64_t max_cells = 20'000'000'000;  // minutes of reading

const arg<std::vector<double>> percentiles{.name = "percentiles",
                                           .about = "0 to 100, linear between ranks, as is the median; [] skips them.",
                                           .unit = "percent",
                                           .fallback = std::vector<double>{2, 25, 75, 98},
                                           .min = 0,
                                           .max = 100,
                                           .max_items = 100,
                                           .or_single = true};
const arg<std::optional<std::int64_t>> histogram_bins{
    .name = "histogram_bins",
    .about = "Number of bins; whole numbers get one bin a value where that suffices. Default: none.",
    .min = 1,
    .max = 1000};
const arg<std::optional<std::int64_t>> sample_size{
    .name = "sample_size",
    .about = "Read about this many cells; figures are then approximate. Default: all.",
    .unit = "cells",
    .min = 100};
const arg<bool> all_touched{
    .name = "all_touched", .about = "Count every touched cell, not only by centre.", .fallback = false};
// 'classes' is true, false or a list, which no single argument kind covers: read as either.
const arg<std::optional<json_text>> classes_given{.name = "classes", .about = ""};
const arg<std::vector<std::int64_t>> classes_listed{.name = "classes", .about = ""};
const gdalmcp::parameter classes_argument{
    "classes",
    R"({"anyOf":[{"type":"boolean"},{"type":"array","items":{"type":"integer"},"minItems":1,"maxItems":1000}],)"
    R"("description":"Count, share and true area of class codes: true = all, or a list. Default: for bands with classes."})",
    false, ""};

const auto clipped_share =
    field<double>{"clipped_share", "Share of the geometry that lies outside the raster", "0 to 1"}.optional();
const field<std::int64_t> cell_count{"cell_count", "Cells inside the geometry, or of the raster; before sampling",
                                     "cells"};
const auto used_geometry = gdalmcp::record{
    "area",
    "The geometry, when one was given",
    {gdal::geometry_used, gdal::geometry_crs_used,
     clipped_share}}.optional();

class_wish wish_of(const gdalmcp::call& call) {
    const auto text = call[classes_given];
    if (!text) return {};
    if (text->text == "true" || text->text == "false") return {true, text->text == "true", {}};
    return {true, true, call[classes_listed]};
}

bool declares_classes(GDALRasterBand& band) {
    const auto declared = gdal::declared_kind(gdal::signs_of(band, false));
    return declared && declared->certain && declared->kind == gdal::value_kind::classes;
}

std::int64_t selected_cells(const zone_mask& zone) {
    const auto& w = zone.bounds();
    const int step = std::max(1, 4'000'000 / std::max(w.width, 1));
    std::int64_t selected = 0;
    std::vector<unsigned char> mask;
    for (int row = 0; row < w.height; row += step) {
        zone.read(row, std::min(step, w.height - row), mask);
        selected += std::count(mask.begin(), mask.end(), 1);
    }
    return selected;
}

// Bands that share blocks are read together, so that each block is decoded once.
std::size_t bands_together(GDALDataset& source) {
    const char* interleaved = source.GetMetadataItem("INTERLEAVE", "IMAGE_STRUCTURE");
    return interleaved && EQUAL(interleaved, "PIXEL") ? 8 : 1;
}

void check_cells(const std::string& path, const selection& r, std::size_t bands) {
    const double cells = static_cast<double>(r.w.cells()) / r.stride * static_cast<double>(bands);
    if (cells <= static_cast<double>(max_cells)) return;
    throw error{GDALMCP_EXHAUSTED,
                "the statistics of " + path + " need " + std::to_string(r.w.width) + " × " +
                    std::to_string(r.w.height) + " cells of " + std::to_string(bands) + " band(s), more than the " +
                    std::to_string(max_cells) + " that one call reads",
                r.stride > 1 ? "give a smaller 'geometry', fewer 'bands' or a smaller 'sample_size'"
                             : "give a 'geometry' or fewer 'bands', or 'sample_size': 1000000 for an approximation"};
}

void run(gdalmcp::call& call) {
    gdalmcp_datasets::check_percentiles(call[percentiles]);
    const auto wish = wish_of(call);
    const auto source = open_raster(call[uri], call[subdataset]);
    const grid g = grid_of(*source);
    const auto numbers = band_numbers(*source, call[bands]);
    selection r;
    r.w = {0, 0, g.width, g.height};
    std::optional<zone_mask> zone;
    if (const auto area = call[gdalmcp::standard::geometry]) {
        const auto placed = gdal::place_geometry(*area, call[gdalmcp::standard::geometry_crs], {g.crs, g.extent()});
        placed.tell(call);
        zone.emplace(*placed.shape, g, call[all_touched]);
        r.zone = &*zone;
        r.w = zone->bounds();
        auto at = call.at(used_geometry);
        placed.put(at);
        at.put(clipped_share, zone->outside_share());
        if (const auto text = zone->outside_text("counted"); !text.empty()) call.warn(text);
    }
    if (const auto n = call[sample_size]; n && *n < r.w.cells())
        r.stride = static_cast<int>(std::ceil(std::sqrt(static_cast<double>(r.w.cells()) / static_cast<double>(*n))));
    if (r.stride > 1) call.say("sampled: every " + std::to_string(r.stride) + "th row and column");
    check_cells(call[uri].path, r, numbers.size());
    if (r.w.cells() * static_cast<std::int64_t>(numbers.size()) > 1'000'000'000) call.takes_long();
    const std::int64_t selected = zone ? selected_cells(*zone) : r.w.cells();
    call.put(cell_count, selected);

    std::vector<measured_band> all;
    std::optional<gdal::cell_areas> areas;
    std::optional<true_areas> per_run;
    for (const int n : numbers) {
        auto& band = *source->GetRasterBand(n);
        tell_ignored_scale(call, call[uri].path, band);
        const auto type = cell_type_of(band);
        all.push_back({&band, type, statistics_of(type, gdal::nodata_rule_of(band).range), declares_classes(band)});
        auto& m = all.back();
        m.counted = wish.given ? wish.wanted : m.declared_classes;
        if (!m.counted) continue;
        tell_stored_codes(call, call[uri].path, band);
        if (!per_run && !areas) {
            areas = areas_of(call, g);
            if (areas) per_run.emplace(*areas);
        }
        m.s->count_classes(per_run ? &*per_run : nullptr);
    }

    wanted what;
    what.percentiles = call[percentiles];
    if (!what.percentiles.empty()) what.percentiles.push_back(50);
    if (const bool falling = std::any_of(all.begin(), all.end(), [](const auto& m) { return m.band->GetScale() < 0; });
        falling)
        for (const double p : call[percentiles]) what.percentiles.push_back(100 - p);
    const std::size_t together = bands_together(*source);
    for (std::size_t first = 0; first < all.size(); first += together) {
        const auto end = std::min(first + together, all.size());
        std::vector<int> group;
        std::vector<statistics*> into;
        for (std::size_t i = first; i < end; ++i) {
            group.push_back(numbers[i]);
            into.push_back(all[i].s.get());
        }
        if (const auto bins = call[histogram_bins])
            what.bins = [&, bins = *bins](std::size_t i) { return bins_of(all[first + i], bins); };
        measure(*source, group, r, into, what, [&](double f) {
            call.progress((static_cast<double>(first) + f * static_cast<double>(end - first)) /
                          static_cast<double>(all.size()));
        });
    }

    if (per_run) per_run->tell_missing(call);

    const places where{g};
    call.begin(band_table);
    report_wish asked{call[percentiles], call[histogram_bins], wish, areas.has_value(), r.stride > 1, selected};
    for (const auto& m : all) put_band(call, m, asked, where);
    if (const auto doubt = unequal_cells(part_of(g, r.w)); !doubt.empty()) call.warn(doubt);
}

}  // namespace

const gdalmcp::tool tool{
    {"raster_stats", "Raster statistics",
     "Statistics of a raster, or of the cells inside a geometry; count, share and true area of each class code. "
     "Nodata, NaN and infinite cells are counted apart; scale and offset are applied. For many zones use "
     "aggregate_zonal.",
     GDALMCP_READ_ONLY | GDALMCP_IDEMPOTENT},
    run,
    {uri, bands, percentiles, histogram_bins, classes_argument, sample_size, gdalmcp::standard::geometry,
     gdalmcp::standard::geometry_crs, all_touched, subdataset},
    {band_table, cell_count, used_geometry}};

}  // namespace gdalmcp_raster::raster_stats
