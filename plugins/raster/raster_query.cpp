#include "arguments.hpp"
#include "datasets/gdal_output.hpp"
#include "gdal_collar.hpp"
#include "gdal_common_window.hpp"
#include "gdal_cut.hpp"
#include "gdal_resampling_doubts.hpp"
#include "gdal_warp.hpp"
#include "gdal_warp_extent.hpp"
#include "resampling.hpp"
#include "tools.hpp"

namespace gdalmcp_raster::raster_query {
namespace {

using gdalmcp::arg;
using gdalmcp::error;
using gdalmcp::field;
namespace gdal = gdalmcp::gdal;

const arg<gdalmcp::geometry> area{.name = "geometry",
                                  .about = "What to cut out: GeoJSON, [minx, miny, maxx, maxy] or a vector dataset."};
const arg<std::optional<std::string>> purpose{
    .name = "purpose", .about = "The claim it supports, in a sentence. Default: none, exploratory."};
const auto resolution =
    resolution_argument("Cell size to read at, one number or [x, y]; needs 'resampling'.", "units of the raster's CRS");
const arg<std::optional<gdalmcp::choice>> resampling{
    .name = "resampling",
    .about = "nearest or mode for classes, average for coarser measurements, sum for totals.",
    .values = resampling_choices(),
    .synonyms = resampling_synonyms()};
const arg<bool> all_touched{
    .name = "all_touched", .about = "Include every touched cell, not only by centre.", .fallback = false};

const field<std::int64_t> column{"column", "First column of the window in the source, counted from 0"};
const field<std::int64_t> row{"row", "First row of the window in the source, counted from 0"};
const gdalmcp::record window_record{"window", "Part of the source that was read", {column, row, width, height}};
const field<std::int64_t> pixel_count{"pixel_count", "Inside the geometry", "cells"};
const field<std::int64_t> size_bytes{"size_bytes", "Of the file", "bytes"};
const auto nodata_share = field<double>{"nodata_share", "Of the cells inside, in the first band", "0 to 1"};
const field<double> clipped_share{"clipped_share", "Share of the geometry outside the raster", "0 to 1"};
const field<std::string> outside{"outside", "How cells outside are marked: none, nodata, alpha, mask"};
const auto nodata = field<double>{"nodata", "Absent when there is none or it is NaN"}.optional();
const field<std::vector<std::int64_t>> bands_used{"bands", "Bands of the source, in order"};
const field<std::string> dtype{"dtype", "Data type"};
const auto resampling_used = field<std::string>{"resampling", "Only with 'resolution'"}.optional();
const field<std::string> self_review{"self_review", "Cautions for this result"};

// The source on the grid of the asked resolution, around the geometry, in a scratch file.
gdal::dataset_ptr resampled(gdalmcp::call& call, GDALDataset& source, const std::vector<int>& numbers,
                            const OGRGeometry& shape) {
    const auto size = *call[resolution];
    const auto method = call[resampling];
    if (!method)
        throw error{
            GDALMCP_INVALID_ARGUMENT, "'resolution' is given without 'resampling'",
            "choose 'resampling' by what must survive: nearest or mode for classes, average for means, sum for totals"};
    const grid g = grid_of(source);
    if (g.crs.IsEmpty())
        throw error{GDALMCP_UNSUPPORTED, "'resolution' needs a raster with a CRS, and this one has none",
                    "leave 'resolution' out"};
    warp_request r;
    r.dst_crs = g.crs;
    r.bounds_crs = g.crs;
    r.resampling = method->value;
    settle_type(r, source, numbers);
    settle_pooling(r, source);
    r.resolution = {size.front(), size.back()};
    OGREnvelope box;
    shape.getEnvelope(&box);
    r.bounds = bounds_of_cells(g, box, size.front(), size.back());
    const auto& [minx, miny, maxx, maxy] = *r.bounds;
    const char* unit = nullptr;
    g.crs.IsGeographic() ? g.crs.GetAngularUnits(&unit) : g.crs.GetLinearUnits(&unit);
    gdalmcp_datasets::require_size(
        std::round((maxx - minx) / size.front()), std::round((maxy - miny) / size.back()), "the result",
        "'resolution' is in " + std::string{unit} + ", the unit of " + gdal::crs_label(g.crs) +
            "; the raster's own cells are " + gdal::number_text(gdalmcp::significant(g.cell_width(), 4)) + " by " +
            gdal::number_text(gdalmcp::significant(g.cell_height(), 4)));
    mark_collar(source, r);
    gdal::step part{call, 0, 0.5};
    const auto path = call.new_scratch("resampled", ".tif");
    return warp({&source}, r,
                {path, keeping_driver_for(path), call.new_scratch("warped", ".tif"), gdal::step::report, &part})
        .dataset;
}

std::string percent(double share) { return CPLSPrintf("%.1f %%", 100 * share); }

// A GeoTIFF is written as it is; other formats get a copy of one.
cut_counts write(gdalmcp::call& call, GDALDataset& source, const zone_mask& zone, const std::vector<int>& numbers) {
    const auto path = call[output].path;
    auto& driver = keeping_driver_for(path);
    const auto report = [&](double fraction) { call.progress(0.5 + 0.45 * fraction, "cutting"); };
    if (EQUAL(driver.GetDescription(), "GTiff")) return cut(source, zone, numbers, path, report);
    const auto scratch = call.new_scratch("cut", ".tif");
    const auto counts = cut(source, zone, numbers, scratch, report);
    const auto made = gdal::open(gdalmcp::raster{scratch});
    copy_raster(call, *made, path, driver, {.strict = true, .from = 0.95, .to = 0.99});
    return counts;
}

void put_review(gdalmcp::call& call, const cut_counts& counts, const window& w, const zone_mask& reach,
                const char* type) {
    const double share =
        static_cast<double>(counts.missing) / static_cast<double>(std::max<std::int64_t>(counts.selected, 1));
    call.put(pixel_count, counts.selected);
    call.put(nodata_share, share);
    call.put(clipped_share, reach.outside_share());
    call.put(outside, counts.outside);
    if (counts.nodata && std::isfinite(*counts.nodata)) call.put(nodata, *counts.nodata);
    std::string review = std::to_string(w.width) + " × " + std::to_string(w.height) + " cells of " + type + ", " +
                         std::to_string(counts.selected) + " inside the geometry, " + percent(share) +
                         " of them nodata";
    if (!call[purpose] && !call.given(output)) review += "; exploratory: not a basis for claims";
    if (!call.given(output)) review += "; give 'output' to persist it if someone must inspect it";
    call.put(self_review, review);
    call.say(review);
    if (const auto text = reach.outside_text("in the result"); !text.empty()) call.warn(text);
    if (counts.selected == 0)
        call.warn(
            "the geometry holds no cell centre: the result is empty; all_touched: true takes the cells it touches");
    else if (counts.missing == counts.selected)
        call.warn(
            "every cell inside the geometry is nodata: there is nothing to measure here, which is not the same as 0");
}

void run(gdalmcp::call& call) {
    auto source = open_raster(call[uri], call[subdataset]);
    grid g = grid_of(*source);
    if (!g.georeferenced) call.warn("the raster has no geotransform: 'geometry' is read in column and row numbers");
    tell_lost_location(call, call[uri].path, *source);
    const auto placed = gdal::place_geometry(call[area], call[gdalmcp::standard::geometry_crs], {g.crs, g.extent()});
    placed.tell(call);
    const auto numbers = band_numbers(*source, call[bands]);
    // Before resampling, which would hide how much of the geometry the raster misses.
    const zone_mask reach{*placed.shape, g, true};
    if (call[resolution]) {
        auto coarser = resampled(call, *source, numbers, *placed.shape);
        if (!on_same_cells(g, grid_of(*coarser)))
            warn_of_resampling(call, call[uri].path, *source, numbers, call[resampling]->value, *coarser);
        source = std::move(coarser);
        g = grid_of(*source);
        call.put(resampling_used, call[resampling]->value);
    } else if (call[resampling]) {
        call.warn("'resampling' was not used: without 'resolution' the cells are read as they are");
    }
    const zone_mask zone{*placed.shape, g, call[all_touched]};
    const auto counts = write(call, *source, zone, numbers);

    const auto& w = zone.bounds();
    auto at = call.at(window_record);
    at.put(column, w.column);
    at.put(row, w.row);
    at.put(width, w.width);
    at.put(height, w.height);
    const grid part = part_of(g, w);
    call.put(transform, part.affine());
    bounds.put(call, part.extent(), part.crs);
    crs.put(call, part.crs);
    call.put(bands_used, {numbers.begin(), numbers.end()});
    placed.put(call);
    const auto path = call[output].path;
    const auto written = gdal::open(gdalmcp::raster{path});
    const std::string type = dtype_name(written->GetRasterBand(1)->GetRasterDataType());
    for (std::size_t i = 0; i < numbers.size(); ++i)
        tell_lost_table(call, call[uri].path, *source->GetRasterBand(numbers[i]),
                        *written->GetRasterBand(static_cast<int>(i) + 1));
    call.put(dtype, type);
    call.put(size_bytes, file_size(path));
    put_review(call, counts, w, reach, type.c_str());
    call.expect(output, expected_raster(part, written->GetRasterCount(), type));
    call.progress(1);
}

}  // namespace

const gdalmcp::tool tool{
    {"raster_query", "Query raster",
     "Cuts a geometry out of a raster into a new raster. Cells outside become nodata (or a mask), never 0; cells keep "
     "place and value unless 'resolution' is given. Give 'purpose' when a claim rests on the extent. For slope or "
     "flow, cut larger: they need neighbours.",
     GDALMCP_DESTRUCTIVE | GDALMCP_IDEMPOTENT},
    run,
    {uri, area, gdalmcp::standard::geometry_crs, bands, purpose, resolution, resampling, all_touched, output,
     subdataset, overwrite},
    {window_record, transform, bounds.all, crs.all, pixel_count, size_bytes, nodata_share, clipped_share, outside,
     nodata, bands_used, dtype, resampling_used, gdal::geometry_used, gdal::geometry_crs_used, self_review}};

}  // namespace gdalmcp_raster::raster_query
