// raster_mosaic: rasters of one CRS side by side on one grid, or on top of each other as bands.
#include <gdalmcp/gdal_kind.hpp>

#include <limits>

#include "arguments.hpp"
#include "datasets/gdal_finite_view.hpp"
#include "datasets/gdal_output.hpp"
#include "gdal_amounts.hpp"
#include "gdal_mosaic_file.hpp"
#include "gdal_resampling_doubts.hpp"
#include "gdal_undeclared_nodata.hpp"
#include "resampling.hpp"
#include "tools.hpp"

namespace gdalmcp_raster::raster_mosaic {
namespace {

using gdalmcp::arg;
using gdalmcp::choice;
using gdalmcp::error;
using gdalmcp::field;
namespace gdal = gdalmcp::gdal;

constexpr std::size_t max_rows = 100;  // of the table in the result

// A call may hold 512 files open.
const arg<std::vector<gdalmcp::raster>> uris{.name = "uris",
                                             .about = "Rasters: paths, patterns (tiles/*.tif), query://result/{id}.",
                                             .min_items = 1,
                                             .max_items = 400};
const arg<choice> mode{.name = "mode",
                       .about = "vrt writes a small .vrt that names the rasters, by relative paths, and needs them.",
                       .fallback = choice{"merge"},
                       .values = {"merge", "vrt"}};
const arg<std::optional<choice>> overlap{
    .name = "overlap",
    .about = "Which value counts, in the order of 'uris'. Required where they differ.",
    .values = {"first", "last", "min", "max", "mean"},
    .synonyms = {{"average", "mean"}, {"minimum", "min"}, {"maximum", "max"}}};
const arg<bool> separate{.name = "separate", .about = "Stack bands instead of joining.", .fallback = false};
const auto resolution =
    resolution_argument("Cell size, one number or [x, y]. Default: that of all rasters.", "units of the CRS");
const arg<std::optional<choice>> resampling{.name = "resampling",
                                            .about =
                                                "Required where grids differ by parts of cells. nearest or mode for "
                                                "classes, bilinear or cubic for measurements.",
                                            .values = resampling_choices(),
                                            .synonyms = resampling_synonyms()};
const arg<std::optional<double>> nodata_wanted{
    .name = "nodata", .about = "Not in the data. Default: the rasters' own, else NaN or a mask."};

const field<std::string> source_path{"path", "Its file"};
const field<std::int64_t> source_column{"column", "First column in the mosaic, from 0"};
const field<std::int64_t> source_row{"row", "First row"};
const field<std::int64_t> source_width{"width", "Columns there"};
const field<std::int64_t> source_height{"height", "Rows there"};
const field<bool> source_resampled{"resampled", "Not a copy of its cells"};
const gdalmcp::table sources_table{
    "sources",
    "The first 100",
    {source_path, source_column, source_row, source_width, source_height, source_resampled}};
const field<std::int64_t> band_count{"band_count", "Bands"};
const field<std::string> dtype{"dtype", "Data type of the bands"};
const auto nodata_used = field<double>{"nodata", "Absent when there is none or it is NaN"}.optional();
const field<std::string> gaps_marked{"gaps_marked", "How cells without data are marked: none, nodata, alpha, mask"};
const field<std::int64_t> overlap_cells{"overlap_count", "Cells for which several rasters have data", "cells"};
const field<std::int64_t> differing_cells{"differing_count", "Of these, those whose values differ", "cells"};
const auto largest_difference =
    field<double>{"largest_difference", "Between values for one cell; absent if none differ"}.optional();
const field<double> gap_share{"gap_share", "Share of the cells without data", "0 to 1"};

// The size of a cell: as asked, else that of all rasters.
std::array<double, 2> cell_of(gdalmcp::call& call, const std::vector<mosaic_source>& sources) {
    if (const auto size = call[resolution]) return {size->front(), size->back()};
    return common_cell(sources);
}

void require_method(gdalmcp::call& call, const std::vector<mosaic_source>& sources, const mosaic_layout& layout) {
    if (call[resampling] && aligned(layout))
        call.say("the grids coincide: cells are copied, 'resampling' has no effect");
    if (!call[resampling]) require_aligned(sources, layout);
}

overlap_rule rule_of(const std::optional<choice>& asked) {
    if (!asked || asked->value == "first") return overlap_rule::first;
    return asked->value == "last"  ? overlap_rule::last
           : asked->value == "min" ? overlap_rule::min
           : asked->value == "max" ? overlap_rule::max
                                   : overlap_rule::mean;
}

void require_vrt_arguments(gdalmcp::call& call) {
    const std::string& path = call[output].path;
    const bool named = EQUAL(CPLGetExtension(path.c_str()), "vrt"), wanted = call[mode].value == "vrt";
    if (named != wanted)
        throw error{GDALMCP_INVALID_ARGUMENT,
                    wanted ? "'mode' is vrt, but 'output' is not a .vrt file of a workspace"
                           : "'output' is a .vrt file, but 'mode' is merge",
                    wanted ? R"(give an 'output' that ends in .vrt, or "mode": "merge")"
                           : R"(give "mode": "vrt", or an 'output' that ends in .tif)"};
    if (const auto rule = call[overlap]; wanted && rule && rule->value != "first" && rule->value != "last")
        throw error{GDALMCP_INVALID_ARGUMENT, "a VRT shows one raster or another, not their " + rule->value,
                    R"(give "overlap": "first" or "last", or "mode": "merge")"};
}

// Of the values of several rasters at a place, a mean or an extreme of codes or directions means nothing. "": no doubt.
std::string doubt_of_rule(GDALRasterBand& band, const std::string& name, const std::string& rule) {
    if (const std::string unit = band.GetUnitType(); rule == "mean" && is_logarithm(unit))
        return name + " holds logarithms (unit " + unit + "), whose mean is not that of the amounts";
    const auto kind = gdal::kind_of(band);
    const bool codes = kind.kind == gdal::value_kind::classes || kind.kind == gdal::value_kind::qa_bits;
    if (!codes && kind.kind != gdal::value_kind::angle) return {};
    return name + (kind.certain ? " holds " : " looks like ") + (codes ? "codes" : "angles") + " (" + kind.why +
           "): \"overlap\": \"" + rule + "\" of them means nothing where rasters overlap; first and last keep them";
}

void warn_of_rule(gdalmcp::call& call, const std::vector<mosaic_source>& sources, overlap_rule rule) {
    if (rule == overlap_rule::first || rule == overlap_rule::last) return;
    for (const auto& s : sources)
        for (std::size_t i = 0; i < s.bands.size(); ++i) {
            const auto name = (s.bands.size() > 1 ? "band " + std::to_string(s.bands[i]) + " of " : "") + s.path;
            const auto doubt = doubt_of_rule(s.band(i), name, call[overlap]->value);
            if (doubt.empty()) continue;
            call.warn(doubt);
            return;
        }
}

// A mark that is not declared covers the values of other rasters, and is mixed with others where cells are resampled.
void warn_of_marks(gdalmcp::call& call, const std::vector<mosaic_source>& sources, const mosaic_layout& layout) {
    for (std::size_t i = 0; i < sources.size(); ++i) {
        const auto& place = layout.places[i];
        bool mixed = !place.aligned;
        for (std::size_t k = 0; k < sources.size() && !mixed; ++k)
            mixed = k != i && share_cells(place, layout.places[k]);
        for (std::size_t b = 0; b < sources[i].bands.size() && mixed; ++b)
            if (!is_alpha(sources[i].band(b))) warn_of_undeclared_nodata(call, sources[i].path, sources[i].band(b));
    }
}

void warn_of_fractions(gdalmcp::call& call, const mosaic_plan& p, const std::string& method) {
    const auto written = gdal::open(gdalmcp::raster{p.path});
    int to = 1;
    for (std::size_t k = 0; k < (p.stacked ? p.sources.size() : 1); ++k)
        for (std::size_t i = 0; i < p.sources[k].bands.size(); ++i, ++to)
            warn_of_rounding(call, p.sources[k].path, p.sources[k].band(i), method, *written->GetRasterBand(to));
}

void report(gdalmcp::call& call, const mosaic_plan& p, const overlap_findings& found) {
    call.begin(sources_table);
    for (std::size_t i = 0; i < std::min(p.sources.size(), max_rows); ++i) {
        const auto& place = p.layout.places[i];
        auto row = call.add(sources_table);
        row.put(source_path, p.sources[i].path);
        row.put(source_column, place.column);
        row.put(source_row, place.row);
        row.put(source_width, place.columns);
        row.put(source_height, place.rows);
        row.put(source_resampled, !place.aligned);
    }
    call.put(transform, p.on.affine());
    call.put(width, p.on.width);
    call.put(height, p.on.height);
    crs.put(call, p.on.crs);
    call.put(band_count, p.count());
    call.put(dtype, dtype_name(p.meaning.type));
    if (p.meaning.nodata && std::isfinite(*p.meaning.nodata)) call.put(nodata_used, *p.meaning.nodata);
    call.put(gaps_marked, name_of(p.meaning.mark));
    call.put(overlap_cells, p.stacked ? 0 : found.overlapping);
    call.put(differing_cells, found.differing);
    if (found.differing > 0 && std::isfinite(found.largest)) call.put(largest_difference, found.largest);
    const double share =
        static_cast<double>(found.gaps) / static_cast<double>(gdal::window{0, 0, p.on.width, p.on.height}.cells());
    if (constexpr double most = 0.9; share > most)
        call.warn("more than nine tenths of the mosaic have no data; rasters that lie far apart make it large");
    call.put(gap_share, share);
}

void run(gdalmcp::call& call) {
    const bool stacked = call[separate];
    if (stacked && call[overlap])
        throw error{GDALMCP_INVALID_ARGUMENT, "'separate' stacks bands, where nothing overlaps, but 'overlap' is given",
                    "leave one of them out"};
    require_vrt_arguments(call);
    if (call[uris].size() < 2)
        throw error{GDALMCP_INVALID_ARGUMENT, "there is nothing to join: 'uris' is one raster", "name two or more"};
    std::vector<std::string> said;
    const auto sources = open_sources(call[uris], call[bands], stacked, said);
    for (const auto& line : said) call.warn(line);
    std::vector<lattice> lattices;
    for (const auto& s : sources) lattices.push_back(s.cells());
    const auto cell = cell_of(call, sources);
    require_size(lattices, cell);
    const auto layout = layout_of(lattices, cell);
    require_method(call, sources, layout);
    const grid on = grid_around(sources, layout);
    if (on.crs.IsEmpty()) call.warn("no raster has a CRS; their coordinates are taken to be in one");
    const auto rule = rule_of(call[overlap]);
    const bool gaps = leaves_gaps(layout, stacked);
    const auto method = call[resampling] ? call[resampling]->value : std::string{"nearest"};
    const auto meaning = meaning_of(sources, {stacked, rule == overlap_rule::mean, call[nodata_wanted], gaps,
                                              aligned(layout) ? std::string{} : method});
    for (const auto& line : meaning.said) call.warn(line);
    tell_ignored_scale(call, sources.front().path, sources.front().band(0));
    if (!stacked) {
        warn_of_rule(call, sources, rule);
        warn_of_marks(call, sources, layout);
    }
    const auto made = bands_of(sources, layout, on, stacked, method);
    const auto count = static_cast<int>(made.size());
    if (static_cast<double>(on.width) * on.height * count > 1e9) call.takes_long();

    const mosaic_plan plan{sources,          layout, on, meaning, made, stacked, rule, call[overlap].has_value(),
                           call[output].path};
    const auto found = call[mode].value == "vrt" ? link_rasters(call, plan) : merge(call, plan);
    if (!aligned(layout) && computes_values(method)) warn_of_fractions(call, plan, method);
    const auto unmarked = gdalmcp_datasets::met_by_finite_views();
    if (unmarked.infinite) call.warn("infinite cells are taken for cells without data");
    if (unmarked.nan) call.warn("NaN cells are taken for cells without data, as the declared ones are");
    call.expect(output, expected_raster(on, count, dtype_name(meaning.type)));
    report(call, plan, found);
}

}  // namespace

const gdalmcp::tool tool{
    {"raster_mosaic", "Join rasters",
     "Joins rasters of one CRS, or stacks them as bands. Cells are copied where grids differ by whole cells; overlaps "
     "are compared.",
     GDALMCP_DESTRUCTIVE | GDALMCP_IDEMPOTENT},
    run,
    {uris, mode, overlap, separate, resolution, resampling, nodata_wanted, bands, output, overwrite},
    {sources_table, transform, width, height, crs.all, band_count, dtype, nodata_used, gaps_marked, overlap_cells,
     differing_cells, largest_difference, gap_share}};

}  // namespace gdalmcp_raster::raster_mosaic
