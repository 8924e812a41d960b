// raster_mosaic: rasters of one CRS side by side on one grid, or on top of each other as bands.
#include <gdalmcp/gdal_blocks.hpp>

#include <limits>

#include "arguments.hpp"
#include "datasets/gdal_output.hpp"
#include "gdal_virtual_mosaic.hpp"
#include "resampling.hpp"
#include "tools.hpp"

namespace gdalmcp_raster {
namespace {

using gdalmcp::arg;
using gdalmcp::choice;
using gdalmcp::error;
using gdalmcp::field;
namespace gdal = gdalmcp::gdal;

constexpr double max_cells = 2e10, max_side = 2e9;  // of the result
constexpr std::size_t max_rows = 100;               // of the table in the result

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

std::string size_text(const lattice& l) {
    return gdal::coordinate_text(l.cell_width) + " × " + gdal::coordinate_text(l.cell_height);
}

// The size of a cell: as asked, else that of all rasters.
std::array<double, 2> cell_of(gdalmcp::call& call, const std::vector<mosaic_source>& sources) {
    if (const auto size = call[resolution]) return {size->front(), size->back()};
    const auto first = sources.front().cells();
    for (const auto& s : sources)
        if (const auto l = s.cells(); !same_cells(first, l))
            throw error{GDALMCP_INVALID_ARGUMENT,
                        "the cell sizes differ: " + sources.front().path + " has " + size_text(first) + ", " + s.path +
                            " has " + size_text(l),
                        "choose one with 'resolution', and how values are computed with 'resampling'"};
    return {first.cell_width, first.cell_height};
}

void require_size(const std::vector<lattice>& rasters, const std::array<double, 2>& cell) {
    OGREnvelope all;
    for (const auto& r : rasters) {
        all.Merge(r.x, r.y);
        all.Merge(r.x + static_cast<double>(r.columns) * r.cell_width,
                  r.y - static_cast<double>(r.rows) * r.cell_height);
    }
    const double columns = std::round((all.MaxX - all.MinX) / cell[0]),
                 rows = std::round((all.MaxY - all.MinY) / cell[1]);
    if (columns < max_side && rows < max_side && columns * rows <= max_cells) return;
    throw error{GDALMCP_EXHAUSTED,
                "the mosaic would have " + gdal::number_text(columns) + " × " + gdal::number_text(rows) +
                    " cells, more than the " + gdal::number_text(max_cells) + " (" + gdal::number_text(max_side) +
                    " along a side) that one call writes",
                "give rasters that lie side by side (not on both sides of the antimeridian), or a coarser "
                "'resolution'"};
}

void require_method(gdalmcp::call& call, const std::vector<mosaic_source>& sources, const mosaic_layout& layout) {
    std::size_t moved = 0, which = 0;
    for (std::size_t i = sources.size(); i-- > 0;)
        if (!layout.places[i].aligned) ++moved, which = i;
    if (moved == 0 && call[resampling]) call.say("the grids coincide: cells are copied, 'resampling' has no effect");
    if (moved == 0 || call[resampling]) return;
    const auto l = sources[which].cells();
    const auto part = [](double cells) {
        return gdal::number_text(std::round(1000 * std::abs(cells - std::round(cells))) / 1000);
    };
    throw error{GDALMCP_INVALID_ARGUMENT,
                "the grids differ: the cells of " + sources[which].path + " (" + size_text(l) + ") lie " +
                    part((l.x - layout.grid.x) / layout.grid.cell_width) + " and " +
                    part((layout.grid.y - l.y) / layout.grid.cell_height) + " cells off those of the mosaic (" +
                    size_text(layout.grid) + "), " + std::to_string(moved) + " of the " +
                    std::to_string(sources.size()) + " rasters do not fit",
                "choose how their values are computed with 'resampling': nearest for classes, bilinear for "
                "measurements"};
}

grid grid_around(const mosaic_layout& layout, const OGRSpatialReference& crs) {
    const auto& l = layout.grid;
    grid g;
    g.width = static_cast<int>(l.columns);
    g.height = static_cast<int>(l.rows);
    g.geotransform = {l.x, l.cell_width, 0, l.y, 0, -l.cell_height};
    g.georeferenced = true;
    g.crs = crs;
    return g;
}

bool all_cover(const mosaic_layout& layout) {
    return std::all_of(layout.places.begin(), layout.places.end(), [&](const placement& p) {
        return p.columns == layout.grid.columns && p.rows == layout.grid.rows;
    });
}

overlap_rule rule_of(const std::optional<choice>& asked) {
    if (!asked || asked->value == "first") return overlap_rule::first;
    return asked->value == "last"  ? overlap_rule::last
           : asked->value == "min" ? overlap_rule::min
           : asked->value == "max" ? overlap_rule::max
                                   : overlap_rule::mean;
}

void refuse_conflicts(gdalmcp::call& call, const overlap_findings& found, const grid& on,
                      const mosaic_meaning& meaning) {
    if (found.differing > 0 && !call[overlap]) {
        const auto& t = on.geotransform;
        const double x = t[0] + (static_cast<double>(found.largest_at.column) + 0.5) * t[1],
                     y = t[3] + (static_cast<double>(found.largest_at.row) + 0.5) * t[5];
        throw error{GDALMCP_INVALID_ARGUMENT,
                    "the rasters have different values for " + std::to_string(found.differing) + " of the " +
                        std::to_string(found.overlapping) + " cells where they overlap, by up to " +
                        gdal::number_text(found.largest) + " (at " + gdal::coordinate_text(x) + ", " +
                        gdal::coordinate_text(y) + ")",
                    "choose with \"overlap\": \"first\", \"last\", \"min\", \"max\" or \"mean\""};
    }
    if (found.like_nodata > 0)
        throw error{GDALMCP_INVALID_ARGUMENT,
                    std::to_string(found.like_nodata) + " cells with data have the value " +
                        gdal::number_text(*meaning.nodata) + ", which marks cells without data in the result",
                    "give another 'nodata', one that does not occur"};
}

// Names, colours and units of the first raster's bands; stacked, of each its own.
void copy_meanings(gdalmcp::call& call, const std::vector<mosaic_source>& sources, GDALDataset& out, bool stacked) {
    int to = 1;
    bool tables = false;
    for (std::size_t k = 0; k < (stacked ? sources.size() : 1); ++k)
        for (std::size_t i = 0; i < sources[k].bands.size(); ++i, ++to) {
            auto& from = sources[k].band(i);
            copy_meaning(from, *out.GetRasterBand(to), {true, out.GetRasterCount() == 1, !stacked});
            tables = tables || from.GetDefaultRAT();
            if (stacked && !*from.GetDescription())
                out.GetRasterBand(to)->SetDescription(CPLGetBasename(sources[k].path.c_str()));
            if (stacked && from.GetColorTable())
                call.warn("the palette of " + sources[k].path + " is left out: a band among others has none");
        }
    if (tables) call.warn("raster attribute tables are left out");
}

struct mosaic_plan {
    const std::vector<mosaic_source>& sources;
    const mosaic_layout& layout;
    const grid& on;
    const mosaic_meaning& meaning;
    const band_stack& bands;
    bool stacked;
    overlap_rule rule;
    int count() const { return static_cast<int>(bands.size()); }
};

overlap_findings merge(gdalmcp::call& call, const mosaic_plan& p) {
    raster_output out{call[output].path, p.on, p.meaning.type, p.count()};
    copy_meanings(call, p.sources, out.dataset(), p.stacked);
    if (p.meaning.nodata) out.nodata(*p.meaning.nodata);
    const bool masked = p.meaning.mark == marking::mask;
    if (masked && !EQUAL(out.dataset().GetDriver()->GetDescription(), "GTiff"))
        throw error{GDALMCP_INVALID_ARGUMENT,
                    "some cells have no data, which " + std::string{CPLGetFilename(call[output].path.c_str())} +
                        " can only mark by a value, and the rasters declare none",
                    "give a 'nodata' that does not occur, or write to .tif"};
    if (masked) out.mask();
    gdal::block_job job;
    job.memory = std::int64_t{1} << 24;  // bytes; a block needs several times its size
    job.workers = 0;
    for (int b = 1; b <= p.count(); ++b) job.write(out.band(b), GDT_Float64);
    if (masked) job.write(*out.band(1).GetMaskBand(), GDT_Float64);
    composition work{p.bands, p.rule, p.meaning};
    job.run(call.part(0, 0.95, "joining rasters"), [&](const gdal::block& b) { work.write(b); });
    refuse_conflicts(call, work.findings(), p.on, p.meaning);
    out.close();
    return work.findings();
}

// The VRT is read back and compared with the cells a merge would write: the rasters may mark missing cells in ways that
// a VRT cannot.
overlap_findings link_rasters(gdalmcp::call& call, const mosaic_plan& p) {
    const auto& path = call[output].path;
    const virtual_mosaic v{p.sources, p.layout, p.on, p.meaning, p.stacked, p.rule == overlap_rule::last};
    require_virtual(v);
    // The default lets them use half of the files that a call may open.
    const CPLConfigOptionSetter few{"GDAL_MAX_DATASET_POOL_SIZE", "40", false};
    write_virtual(v, path, [&](GDALDataset& out) { copy_meanings(call, p.sources, out, p.stacked); });
    const auto made = open_virtual(path);
    gdal::block_job job;
    job.memory = std::int64_t{1} << 24;  // as above
    job.workers = 0;
    for (int b = 1; b <= p.count(); ++b) job.read(*made->GetRasterBand(b), GDT_Float64);
    composition work{p.bands, p.rule, p.meaning};
    job.run(call.part(0, 0.95, "comparing overlaps"), [&](const gdal::block& b) { work.compare(b); });
    refuse_conflicts(call, work.findings(), p.on, p.meaning);
    if (work.findings().unlike > 0)
        throw error{GDALMCP_UNSUPPORTED,
                    std::to_string(work.findings().unlike) +
                        " cells of the VRT would differ from those of the mosaic, because of the way the rasters mark "
                        "cells without data",
                    R"(give "mode": "merge", or a 'nodata' that does not occur in the data)"};
    return work.findings();
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
    const grid on = grid_around(layout, sources.front().on.crs);
    if (on.crs.IsEmpty()) call.warn("no raster has a CRS; their coordinates are taken to be in one");
    const auto rule = rule_of(call[overlap]);
    // A resampled raster may leave cells at its edge without data.
    const bool gaps = (stacked ? !all_cover(layout) : !gapless(layout)) ||
                      std::any_of(layout.places.begin(), layout.places.end(), [](auto& p) { return !p.aligned; });
    const auto meaning = meaning_of(sources, {stacked, rule == overlap_rule::mean, call[nodata_wanted], gaps});
    for (const auto& line : meaning.said) call.warn(line);
    const auto method = call[resampling] ? call[resampling]->value : std::string{"nearest"};
    const auto made = bands_of(sources, layout, on, stacked, method);
    const auto count = static_cast<int>(made.size());
    if (static_cast<double>(on.width) * on.height * count > 1e9) call.takes_long();

    const mosaic_plan plan{sources, layout, on, meaning, made, stacked, rule};
    const auto found = call[mode].value == "vrt" ? link_rasters(call, plan) : merge(call, plan);
    call.expect(output, expected_raster(on, count, dtype_name(meaning.type)));
    report(call, plan, found);
}

}  // namespace

const gdalmcp::tool raster_mosaic{
    {"raster_mosaic", "Join rasters",
     "Joins rasters of one CRS, or stacks them as bands. Cells are copied where grids differ by whole cells; overlaps "
     "are compared.",
     GDALMCP_DESTRUCTIVE | GDALMCP_IDEMPOTENT},
    run,
    {uris, mode, overlap, separate, resolution, resampling, nodata_wanted, bands, output, overwrite},
    {sources_table, transform, width, height, crs.all, band_count, dtype, nodata_used, gaps_marked, overlap_cells,
     differing_cells, largest_difference, gap_share}};

}  // namespace gdalmcp_raster
