// gdal_merge: the cells of several rasters in one file; where they overlap, the later one counts.
#include <gdalmcp/gdal_kind.hpp>

#include <cmath>

#include "argument_names.hpp"
#include "arguments.hpp"
#include "datasets/gdal_output.hpp"
#include "gdal_overlaps.hpp"
#include "raster/gdal_mosaic_file.hpp"
#include "raster/gdal_undeclared_nodata.hpp"
#include "tools.hpp"

namespace gdalmcp_gdal::gdal_merge {
namespace {

using namespace gdalmcp_raster;

const auto sources = sources_argument("Rasters of one CRS, or patterns; later ones cover earlier ones");
const auto target = target_argument<gdalmcp::output_raster>("dst_dataset", about_raster_target);
const arg<std::optional<double>> n{
    .name = "n", .about = "Nodata value to use when merging: cells with it are left out. Default: the sources' own"};
const arg<bool> separate{.name = "separate", .about = "Place each input file into separate bands", .fallback = false};

const uri_of_output merged_uri{"merged_uri", "URI of the merged raster"};

const argument_names names{{"nodata", "n"},
                           {"output", "dst_dataset"},
                           {"uris", "src_datasets"},
                           {"or a coarser 'resolution'", "or join them with raster_mosaic and a coarser 'resolution'"},
                           bands_to_share};

// Of pictures, 0 and 255 are the colours of collars.
bool marks_collars(GDALRasterBand& band, double value) {
    return (value == 0 || value == 255) && gdal::kind_of(band).kind == gdal::value_kind::imagery;
}

void warn_of_hidden(gdalmcp::call& call, const mosaic_source& s, double value) {
    for (std::size_t i = 0; i < s.bands.size(); ++i) {
        auto& band = s.band(i);
        if (is_alpha(band) || same_value(nodata_of(band), value) || marks_collars(band, value)) continue;
        if (const double share = share_of_data(band, value); share > 0)
            call.warn("n = " + gdal::number_text(value) + " hides " + gdal::number_text(std::round(1e4 * share) / 100) +
                      " % of the cells of band " + std::to_string(band.GetBand()) + " of " + s.path +
                      ", which does not declare it: where these are data, give an n that no cell has");
    }
}

// Declares the nodata value on the sources. The result reads from `files`, which outlive it.
void declare_nodata(gdalmcp::call& call, std::vector<mosaic_source>& all, double value,
                    std::vector<gdal::dataset_ptr>& files) {
    for (auto& s : all) {
        if (const auto own = nodata_of(*s.dataset->GetRasterBand(1)); own && !same_value(own, value))
            call.warn(s.path + " declares nodata " + gdal::number_text(*own) + ", and with n = " +
                      gdal::number_text(value) + " its cells of " + gdal::number_text(*own) + " are data");
        warn_of_hidden(call, s, value);
        auto view = translate(*s.dataset, "", {"-of", "VRT", "-a_nodata", gdal::number_text(value)});
        if (!view) gdal::raise("cannot declare the nodata value on " + s.path);
        files.push_back(std::exchange(s.dataset, std::move(view)));
    }
}

// The cells of gdal_merge.py come from the nearest ones, which moves them by up to half a cell.
void require_one_lattice(const std::vector<mosaic_source>& all, const mosaic_layout& layout) {
    try {
        require_aligned(all, layout);
    } catch (error& e) {
        e.hint = "raster_mosaic joins them with 'resampling', which says how their values are computed";
        throw;
    }
}

std::array<double, 2> cell_of(const std::vector<mosaic_source>& all) {
    try {
        return common_cell(all);
    } catch (error& e) {
        e.hint = "raster_mosaic joins them with 'resolution' and 'resampling', which say how values are computed";
        throw;
    }
}

void run_named(gdalmcp::call& call) {
    const bool stacked = call[separate];
    std::vector<std::string> said;
    std::vector<gdal::dataset_ptr> files;
    auto all = open_sources(call[sources], std::nullopt, stacked, said);
    for (const auto& line : said) call.warn(line);
    if (const auto value = call[n]) declare_nodata(call, all, *value, files);
    std::vector<lattice> lattices;
    for (const auto& s : all) lattices.push_back(s.cells());
    const auto cell = cell_of(all);
    require_size(lattices, cell);
    const auto layout = layout_of(lattices, cell);
    require_one_lattice(all, layout);
    const grid on = grid_around(all, layout);
    if (on.crs.IsEmpty()) call.warn("no raster has a CRS; their coordinates are taken to be in one");
    const auto meaning = meaning_of(all, {.stacked = stacked, .nodata = call[n], .gaps = leaves_gaps(layout, stacked)});
    for (const auto& line : meaning.said) call.warn(line);
    const auto bands = bands_of(all, layout, on, stacked, "nearest");
    const mosaic_plan plan{all, layout, on, meaning, bands, stacked, overlap_rule::last, true, call[target].path};
    warn_of_differences(call, merge(call, plan));
    call.expect(target, expected_raster(on, plan.count(), dtype_name(meaning.type)));
    call.say(std::to_string(on.width) + " × " + std::to_string(on.height) + " cells, " + std::to_string(plan.count()) +
             " band(s), from " + std::to_string(all.size()) + " raster(s)");
}

void run(gdalmcp::call& call) {
    with_names(names, [&] { run_named(call); });
}

}  // namespace

const gdalmcp::tool tool{
    {"gdal_merge", "gdal_merge",
     "Mosaics a set of images that must have the same coordinate system and number of bands; overlapping areas are "
     "overwritten by later images.",
     GDALMCP_DESTRUCTIVE | GDALMCP_IDEMPOTENT},
    run,
    {sources, target, n, separate, overwrite},
    {merged_uri}};

}  // namespace gdalmcp_gdal::gdal_merge
