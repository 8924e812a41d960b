#include "gdal_mosaic_file.hpp"

#include <gdalmcp/gdal_blocks.hpp>

#include "datasets/gdal_band_label.hpp"
#include "datasets/gdal_flow_tags.hpp"
#include "datasets/gdal_output.hpp"
#include "gdal_another_turn.hpp"

namespace gdalmcp_raster {

using gdalmcp::error;
namespace gdal = gdalmcp::gdal;

namespace {

std::string size_text(const lattice& l) {
    return gdal::coordinate_text(l.cell_width) + " × " + gdal::coordinate_text(l.cell_height);
}

bool all_cover(const mosaic_layout& layout) {
    return std::all_of(layout.places.begin(), layout.places.end(), [&](const placement& p) {
        return p.columns == layout.grid.columns && p.rows == layout.grid.rows;
    });
}

void refuse_conflicts(const mosaic_plan& p, const overlap_findings& found) {
    if (found.differing > 0 && !p.decided) {
        const auto& t = p.on.geotransform;
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
                        gdal::number_text(*p.meaning.nodata) + ", which marks cells without data in the result",
                    "give another 'nodata', one that does not occur"};
}

// Names, colours and units of the first raster's bands; stacked, of each its own.
void copy_meanings(gdalmcp::call& call, const std::vector<mosaic_source>& sources, GDALDataset& out, bool stacked) {
    int to = 1;
    for (std::size_t k = 0; k < (stacked ? sources.size() : 1); ++k)
        for (std::size_t i = 0; i < sources[k].bands.size(); ++i, ++to) {
            auto& from = sources[k].band(i);
            copy_meaning(from, *out.GetRasterBand(to), {true, out.GetRasterCount() == 1, !stacked});
            tell_lost_table(call, sources[k].path, from, *out.GetRasterBand(to));
            if (stacked && band_label(from).empty())
                out.GetRasterBand(to)->SetDescription(CPLGetBasename(sources[k].path.c_str()));
            if (stacked && from.GetColorTable())
                call.warn("the palette of " + sources[k].path + " is left out: a band among others has none");
        }
}

}  // namespace

void require_size(const std::vector<lattice>& rasters, const std::array<double, 2>& cell) {
    OGREnvelope all;
    for (const auto& r : rasters) {
        all.Merge(r.x, r.y);
        all.Merge(r.x + static_cast<double>(r.columns) * r.cell_width,
                  r.y - static_cast<double>(r.rows) * r.cell_height);
    }
    const double columns = std::round((all.MaxX - all.MinX) / cell[0]),
                 rows = std::round((all.MaxY - all.MinY) / cell[1]);
    gdalmcp_datasets::require_size(
        columns, rows, "the mosaic",
        "give rasters that lie side by side (not on both sides of the antimeridian), or a coarser 'resolution'");
}

std::array<double, 2> common_cell(const std::vector<mosaic_source>& sources) {
    const auto first = sources.front().cells();
    for (const auto& s : sources)
        if (const auto l = s.cells(); !same_cells(first, l))
            throw error{GDALMCP_INVALID_ARGUMENT,
                        "the cell sizes differ: " + sources.front().path + " has " + size_text(first) + ", " + s.path +
                            " has " + size_text(l),
                        "choose one with 'resolution', and how values are computed with 'resampling'"};
    return {first.cell_width, first.cell_height};
}

bool aligned(const mosaic_layout& layout) {
    return std::all_of(layout.places.begin(), layout.places.end(), [](const placement& p) { return p.aligned; });
}

void require_aligned(const std::vector<mosaic_source>& sources, const mosaic_layout& layout) {
    std::size_t moved = 0, which = 0;
    for (std::size_t i = sources.size(); i-- > 0;)
        if (!layout.places[i].aligned) ++moved, which = i;
    if (moved == 0) return;
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

grid grid_around(const std::vector<mosaic_source>& sources, const mosaic_layout& layout) {
    for (const auto& s : sources)
        for (const auto& other : sources) refuse_a_turn_apart(s.path, s.on, other.on);
    const auto& l = layout.grid;
    grid g;
    g.width = static_cast<int>(l.columns);
    g.height = static_cast<int>(l.rows);
    g.geotransform = {l.x, l.cell_width, 0, l.y, 0, -l.cell_height};
    g.georeferenced = true;
    g.crs = sources.front().on.crs;
    return g;
}

bool leaves_gaps(const mosaic_layout& layout, bool stacked) {
    // A resampled raster may leave cells at its edge without data.
    return (stacked ? !all_cover(layout) : !gapless(layout)) || !aligned(layout);
}

overlap_findings merge(gdalmcp::call& call, const mosaic_plan& p) {
    raster_output out{p.path, p.on, p.meaning.type, p.count()};
    copy_meanings(call, p.sources, out.dataset(), p.stacked);
    for (std::size_t i = 0; i < p.sources.size(); ++i)
        if (!p.layout.places[i].aligned && declares_directions(*p.sources[i].dataset)) {
            disown_directions(p.sources[i].path, out.dataset());
            break;
        }
    if (p.meaning.nodata) out.nodata(*p.meaning.nodata);
    const bool masked = p.meaning.mark == marking::mask;
    if (masked && !EQUAL(out.dataset().GetDriver()->GetDescription(), "GTiff"))
        throw error{GDALMCP_INVALID_ARGUMENT,
                    "some cells have no data, which " + std::string{CPLGetFilename(p.path.c_str())} +
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
    refuse_conflicts(p, work.findings());
    out.close();
    return work.findings();
}

overlap_findings link_rasters(gdalmcp::call& call, const mosaic_plan& p) {
    const virtual_mosaic v{p.sources, p.layout, p.on, p.meaning, p.stacked, p.rule == overlap_rule::last};
    require_virtual(v);
    // The default lets them use half of the files that a call may open.
    const CPLConfigOptionSetter few{"GDAL_MAX_DATASET_POOL_SIZE", "40", false};
    write_virtual(v, p.path, [&](GDALDataset& out) { copy_meanings(call, p.sources, out, p.stacked); });
    const auto made = open_virtual(p.path);
    gdal::block_job job;
    job.memory = std::int64_t{1} << 24;  // as above
    job.workers = 0;
    for (int b = 1; b <= p.count(); ++b) job.read(*made->GetRasterBand(b), GDT_Float64);
    composition work{p.bands, p.rule, p.meaning};
    job.run(call.part(0, 0.95, "comparing overlaps"), [&](const gdal::block& b) { work.compare(b); });
    refuse_conflicts(p, work.findings());
    if (work.findings().unlike > 0)
        throw error{GDALMCP_UNSUPPORTED,
                    std::to_string(work.findings().unlike) +
                        " cells of the VRT would differ from those of the mosaic, because of the way the rasters mark "
                        "cells without data",
                    R"(give "mode": "merge", or a 'nodata' that does not occur in the data)"};
    return work.findings();
}

void link_resampled(gdalmcp::call& call, const mosaic_plan& p, const resampled_view& how) {
    const virtual_mosaic v{p.sources, p.layout, p.on, p.meaning, p.stacked, p.rule == overlap_rule::last, how};
    require_virtual(v);
    write_virtual(v, p.path, [&](GDALDataset& out) { copy_meanings(call, p.sources, out, p.stacked); });
    if (p.meaning.mark == marking::mask)
        call.warn("cells that no raster has data for read as 0: none of the rasters declares a nodata value");
}

}  // namespace gdalmcp_raster
