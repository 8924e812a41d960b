// gdal_composition.hpp — reads all observations block by block, composes them on all cores and writes the result.
#pragma once
#include <functional>
#include <memory>

#include "composite.hpp"
#include "datasets/gdal_output.hpp"
#include "gdal_observations.hpp"
#include "gdal_quality.hpp"
#include "raster/statistics.hpp"

namespace gdalmcp_temporal {

struct composition_plan {
    const observation_set& set;
    quality_bands* quality = nullptr;  // nullptr: every observation with data counts
    const grid& on;
    const recipe& how;
    bool single = true;  // the result is Float32, or narrower; else Float64 or of 32 bits
    double nodata;       // of the result
};

struct composition_figures {
    std::vector<std::unique_ptr<gdalmcp_raster::statistics>> results;  // of each band of the result
    std::vector<std::vector<std::int64_t>> cells_by_count;  // of each input band: cells with 0, 1, … observations
    bool infinite = false;                                  // an input had infinite cells, which count as missing
    // Cells of an observation with a value that the quality rule excluded, and those whose quality is nodata.
    std::int64_t excluded = 0, without_quality = 0;
};

// Memory: about 128 MB of cells at work and 64 MB of results, beside GDAL's cache. progress: fraction done; may throw.
composition_figures compose(const composition_plan& plan, gdalmcp_datasets::raster_output& out,
                            const std::function<void(double)>& progress);

}  // namespace gdalmcp_temporal
