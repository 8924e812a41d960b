// gdalbuildvrt: a file that shows several rasters as one.
#include "argument_names.hpp"
#include "arguments.hpp"
#include "datasets/gdal_output.hpp"
#include "datasets/output_name.hpp"
#include "gdal_overlaps.hpp"
#include "raster/gdal_mosaic_file.hpp"
#include "raster/gdal_virtual_mosaic.hpp"
#include "resampling.hpp"
#include "tools.hpp"

namespace gdalmcp_gdal::gdalbuildvrt {
namespace {

using namespace gdalmcp_raster;

const auto sources = sources_argument("Rasters of one CRS, or patterns; later ones cover earlier ones");
const auto target = target_argument<gdalmcp::output_raster>(
    "dst_vrt", "Optional path; null means the server will create a temporary file. Ends in .vrt");
const arg<choice> resolution{.name = "resolution",
                             .about = "Output resolution (highest, lowest, average) where those of the sources differ",
                             .fallback = choice{"average"},
                             .values = {"highest", "lowest", "average"}};
const arg<bool> separate{
    .name = "separate", .about = "Place each input file into a separate VRT band", .fallback = false};
const auto r =
    method_argument("r", "Resampling where the grids of the sources differ. Default: near", translate_methods());
const arg<std::optional<double>> vrtnodata{.name = "vrtnodata",
                                           .about = "Marks cells no source has data for. Default: the sources'"};

const uri_of_output vrt_uri{"vrt_uri", "URI of the VRT file"};

const argument_names names{{"nodata", "vrtnodata"},
                           {"output", "dst_vrt"},
                           {"uris", "src_datasets"},
                           {R"(give "mode": "merge")", "use gdal_merge"},
                           bands_to_share};

// As gdalbuildvrt has it.
std::array<double, 2> cell_of(const std::string& rule, const std::vector<mosaic_source>& all) {
    const auto first = all.front().cells();
    std::array<double, 2> cell{first.cell_width, first.cell_height}, sum{0, 0};
    for (const auto& s : all) {
        const auto l = s.cells();
        const std::array<double, 2> own{l.cell_width, l.cell_height};
        for (std::size_t i : {0u, 1u}) {
            sum[i] += own[i];
            if (rule != "average") cell[i] = rule == "highest" ? std::min(cell[i], own[i]) : std::max(cell[i], own[i]);
        }
    }
    if (rule == "average")
        for (std::size_t i : {0u, 1u}) cell[i] = sum[i] / static_cast<double>(all.size());
    return cell;
}

void run_named(gdalmcp::call& call) {
    const auto& path = call[target].path;
    if (!EQUAL(CPLGetExtension(path.c_str()), "vrt"))
        throw error{GDALMCP_INVALID_ARGUMENT,
                    "'dst_vrt' is " + std::string{CPLGetFilename(path.c_str())} + ", which does not end in .vrt",
                    "name a .vrt; gdal_merge writes the cells themselves"};
    const bool stacked = call[separate];
    std::vector<std::string> said;
    const auto all = open_sources(call[sources], std::nullopt, stacked, said);
    for (const auto& line : said) call.warn(line);
    std::vector<lattice> lattices;
    for (const auto& s : all) lattices.push_back(s.cells());
    const bool one_size =
        std::all_of(lattices.begin(), lattices.end(), [&](const auto& l) { return same_cells(lattices.front(), l); });
    const auto cell = one_size ? common_cell(all) : cell_of(call[resolution].value, all);
    require_size(lattices, cell);
    const auto layout = layout_of(lattices, cell);
    const grid on = grid_around(all, layout);
    const auto meaning =
        meaning_of(all, {.stacked = stacked, .nodata = call[vrtnodata], .gaps = leaves_gaps(layout, stacked)});
    for (const auto& line : meaning.said) call.warn(line);
    const auto bands = bands_of(all, layout, on, stacked, "nearest");
    const mosaic_plan plan{all, layout, on, meaning, bands, stacked, overlap_rule::last, true, path};
    if (aligned(layout)) {
        warn_of_differences(call, link_rasters(call, plan));
    } else {
        const auto method = call[r] ? call[r]->value : "near";
        link_resampled(call, plan, {one_size ? "average" : call[resolution].value, translate_resampling(method)});
        std::vector<covered_place> places;
        for (const auto& s : all) places.push_back({s.on.extent(), s.on.crs, s.on.cell_width()});
        if (!stacked) warn_of_uncompared(call, places);
        for (const auto& s : all)
            if (s.on.cell_width() < 0.999 * on.cell_width() && s.dataset->GetRasterBand(1)->GetOverviewCount() > 0)
                call.warn("who reads the VRT gets the coarser cells of " + s.path +
                          " from its overviews, whatever 'r' says; gdalwarp takes them from its cells");
    }
    const auto made = open_virtual(path);
    call.expect(target, expected_raster(grid_of(*made), made->GetRasterCount(), dtype_name(meaning.type)));
    call.say(std::to_string(made->GetRasterXSize()) + " × " + std::to_string(made->GetRasterYSize()) + " cells, " +
             std::to_string(made->GetRasterCount()) + " band(s), of " + std::to_string(all.size()) + " raster(s)");
}

void run(gdalmcp::call& call) {
    with_names(names, [&] { run_named(call); });
}

}  // namespace

const gdalmcp::tool tool{
    {"gdalbuildvrt", "gdalbuildvrt",
     "Builds a virtual dataset (VRT) that mosaics a list of input rasters and ensures they share similar "
     "characteristics.",
     GDALMCP_DESTRUCTIVE | GDALMCP_IDEMPOTENT},
    run,
    {sources, named_output(target, "x-gdalmcp-managed", "result.vrt"), resolution, separate, r, vrtnodata, overwrite},
    {vrt_uri}};

}  // namespace gdalmcp_gdal::gdalbuildvrt
