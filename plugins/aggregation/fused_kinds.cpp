#include <gdalmcp/evidence.hpp>
#include <gdalmcp/standard.hpp>

#include "datasets/gdal_grid.hpp"
#include "evidence_tools.hpp"
#include "raster/gdal_resampling_doubts.hpp"
#include "raster/gdal_undeclared_nodata.hpp"

namespace gdalmcp_aggregation::fused_kinds {
namespace {

namespace evidence = gdalmcp::evidence;
namespace gdal = gdalmcp::gdal;

const gdalmcp::arg<std::vector<gdalmcp::raster>> uris{
    .name = "uris", .about = "Rasters that would be fused, of one band each.", .min_items = 1, .max_items = 100};
const gdalmcp::arg<std::vector<std::string>> methods{
    .name = "methods", .about = "The resampling of each, in their order.", .min_items = 1};
const gdalmcp::arg<std::optional<gdalmcp::raster>> align_to{
    .name = "align_to",
    .about = "Raster with the target grid: cells of inputs that have it are copied. Default: none."};

const gdalmcp::field<std::int64_t> count{"doubts", "Rasters whose values mean something else than their method makes"};
const gdalmcp::field<std::int64_t> resampled{"resampled", "Rasters of another grid than the target"};
const auto first = gdalmcp::field<std::string>{"first_doubt", "The first of them, in words"}.optional();

void run(gdalmcp::call& call) {
    const auto rasters = call[uris];
    const auto how = call[methods];
    std::optional<gdalmcp_datasets::grid> target;
    if (const auto given = call[align_to]) target = gdalmcp_datasets::grid_of(*gdal::open(*given));
    std::int64_t found = 0, moved = 0;
    std::string told;
    for (std::size_t i = 0; i < std::min(rasters.size(), how.size()); ++i) {
        call.progress(static_cast<double>(i) / static_cast<double>(rasters.size()));
        const auto source = gdal::open(rasters[i]);
        if (how[i] == "copy" || source->GetRasterCount() == 0) continue;
        const auto on = gdalmcp_datasets::grid_of(*source);
        if (target && gdalmcp_datasets::same_grid(on, *target)) continue;
        ++moved;
        auto& band = *source->GetRasterBand(1);
        const auto kind = gdal::kind_of(band, on.crs.IsVertical() != FALSE);
        const std::string name = CPLGetFilename(rasters[i].path.c_str());
        auto doubt = gdalmcp_raster::doubt_of_method(name, band, kind, how[i]);
        if (doubt.empty() && gdalmcp_raster::computes_values(how[i]))
            if (const auto marks = gdalmcp_raster::undeclared_nodata(name, band); !marks.empty()) doubt = marks.front();
        if (doubt.empty()) continue;
        told += (found++ == 0 ? "" : "; ") + doubt;
    }
    call.put(count, found);
    call.put(resampled, moved);
    if (found > 0) call.put(first, told);
    evidence::put_read(call, true, std::to_string(rasters.size()) + " rasters", "");
    evidence::conclude(call,
                       {found == 0 ? "each method fits the kind of its raster"
                                   : std::to_string(found) + " of " + std::to_string(rasters.size()) +
                                         " rasters hold values that their method does not fit"},
                       "Kinds of values by the files' own statements and a look at their cells");
}

}  // namespace

const gdalmcp::tool tool{
    {.name = "fused_kinds",
     .title = "Methods against kinds of values",
     .about =
         "Whether the resampling of each raster of a fusion fits the kind of its values: codes averaged, totals not "
         "summed, levels summed, angles averaged, undeclared nodata computed with. Nothing is written.",
     .behaviour = GDALMCP_READ_ONLY | GDALMCP_IDEMPOTENT},
    run,
    {uris, methods, align_to},
    {evidence::summary, evidence::source, evidence::approximate, evidence::read, count, resampled, first}};

}  // namespace gdalmcp_aggregation::fused_kinds
