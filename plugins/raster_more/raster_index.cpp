// raster_index: overviews in a file beside the raster.
#include <filesystem>

#include "arguments.hpp"
#include "datasets/output_name.hpp"
#include "gdal_overviews.hpp"
#include "raster/convert_arguments.hpp"
#include "raster/gdal_kind.hpp"
#include "raster/gdal_resampling_doubts.hpp"
#include "tools.hpp"

namespace gdalmcp_raster_more::raster_index {
namespace {

namespace fs = std::filesystem;
using conversion::overview_method, conversion::overview_resampling_used, conversion::overviews_built,
    conversion::size_bytes;

constexpr std::int64_t smallest_side = 128;  // cells of the longer side of the last overview

const arg<std::optional<std::vector<std::int64_t>>> levels{
    .name = "levels",
    .about = "Factors, rising: 4 = a quarter of the side. Default: halves, down to 128 cells.",
    .min = 2,
    .max = 65536,
    .min_items = 1,
    .max_items = 16};
const arg<gdalmcp::output_raster> beside{.name = "output",
                                         .about = "Only as the raster's own name and .ovr, which is the default."};

const arg<bool> drop{.name = "drop", .about = "Removes the file beside the raster instead.", .fallback = false};

// Of overviews built.
const auto method_used = overview_resampling_used.optional();
const auto bytes = size_bytes.optional();
const auto dropped = gdalmcp::field<std::string>{"dropped", "The file removed"}.optional();

std::vector<int> factors_of(const gdalmcp::call& call, std::int64_t side) {
    std::vector<int> factors;
    if (const auto given = call[levels]) {
        for (const auto f : *given) {
            const std::int64_t least = factors.empty() ? 2 : factors.back() + 1;
            if (f < least || f > side)
                throw error{GDALMCP_INVALID_ARGUMENT,
                            "the level " + std::to_string(f) + " is not between " + std::to_string(least) + " and " +
                                std::to_string(side) + ", the cells of the longer side",
                            "give rising factors, such as [2, 4, 8]"};
            factors.push_back(static_cast<int>(f));
        }
        return factors;
    }
    for (std::int64_t f = 2; side / f >= smallest_side; f *= 2) factors.push_back(static_cast<int>(f));
    if (factors.empty())
        throw error{
            GDALMCP_INVALID_ARGUMENT,
            call[uri].path + " has " + std::to_string(side) + " cells on its longer side, too few to need overviews",
            "give 'levels' to build some all the same"};
    return factors;
}

// The host removes the file when this returns.
void run_drop(gdalmcp::call& call) {
    if (call[levels] || call[overview_method])
        throw error{GDALMCP_INVALID_ARGUMENT, "'levels' and 'overview_resampling' are for overviews to be built",
                    "leave them out with \"drop\": true"};
    const auto file = call[uri].path + ".ovr";
    require_overviews_of(*gdal::open_stored(call[uri]), file);
    call.put(overviews_built, std::vector<std::string>{});
    call.put(dropped, file);
}

void run(gdalmcp::call& call) {
    if (call[drop]) return run_drop(call);
    const auto source = gdal::open(call[uri]);
    if (source->GetRasterCount() == 0)
        throw error{GDALMCP_UNSUPPORTED,
                    call[uri].path + " holds its rasters in subdatasets, which have no overviews in a file beside it",
                    "write one to a file of its own with raster_convert and 'subdataset'"};
    const grid on = grid_of(*source);
    auto& first = *source->GetRasterBand(1);
    require_real(first);
    if (first.GetOverviewCount() > 0)
        throw error{GDALMCP_INVALID_ARGUMENT,
                    call[uri].path + " has " + std::to_string(first.GetOverviewCount()) + " overviews already",
                    "raster_convert with \"overviews\" writes a copy with others"};
    for (const char* inside : {"GPKG", "MBTiles", "Rasterlite", "RRASTER"})
        if (EQUAL(source->GetDriverName(), inside))
            throw error{GDALMCP_UNSUPPORTED,
                        call[uri].path + " is of the format " + inside + ", which has no overviews in a file beside it",
                        "raster_convert with \"overviews\" writes a copy with overviews inside"};
    if ((first.GetMaskFlags() & GMF_PER_DATASET) && !(first.GetMaskFlags() & GMF_ALPHA))
        throw error{GDALMCP_UNSUPPORTED,
                    "cells without data of " + call[uri].path +
                        " are marked by a mask, which overviews beside it would not heed",
                    "raster_convert with \"overviews\" writes a copy with overviews of cells and mask"};
    const auto k = kind_of(first);
    const auto asked = call[overview_method];
    const std::string how = asked ? gdal_spelling(asked->value) : overview_resampling(first);
    if (k == kind::classes && how != "MODE" && how != "NEAREST")
        call.warn("the values look like classes, and overviews by " + how + " create classes that do not exist");
    warn_of_overviews(call, call[uri].path, *source, how);
    const auto factors = factors_of(call, std::max(on.width, on.height));

    gdal::step steps{call, 0, 0.9};
    const auto sizes =
        write_overviews(*source, call.new_scratch("view", ".vrt"), how, factors, call[beside].path, steps);
    call.put(overviews_built, sizes);
    call.put(method_used, how);
    call.put(bytes, static_cast<std::int64_t>(fs::file_size(call[beside].path)));
}

}  // namespace

const gdalmcp::tool tool{
    {"raster_index", "Overviews beside a raster",
     "Builds overviews of a raster in a writable workspace into a file beside it, "
     "which GDAL and QGIS read for pictures and coarse windows, or removes that file. The raster's "
     "own file stays as it is.",
     GDALMCP_DESTRUCTIVE},
    run,
    {uri, levels, overview_method, named_output(beside, "x-gdalmcp-beside", "{name}.ovr"), drop},
    {overviews_built, method_used, bytes, dropped}};

}  // namespace gdalmcp_raster_more::raster_index
