// zonal_sweep.hpp — the statistics of any number of zones in one pass over a raster.
//
// The raster is walked in strips of whole blocks, each strip in chunks. A chunk that holds cells of a zone is read
// once, for all zones in it; a zone is open from its first strip to its last. Memory: of every open zone its edges and
// statistics, and one chunk (at most 2^24 cells over all bands, 9 bytes each at most) and the next one. Where there are
// as many bands as threads, each thread reads and adds one of them, an eighth of a chunk at a time, while the spans of
// all zones in a larger chunk are held. Results do not depend on the size of the chunks or the number of threads: the
// cells of a zone in a band are added by one thread at a time, chunk by chunk, and sums are compensated.
#pragma once
#include <functional>

#include "coverage.hpp"
#include "zone_statistics.hpp"

namespace gdalmcp_aggregation {

// The values of one block of one band, row-major.
struct block_values {
    std::vector<double> value;         // scale and offset applied
    std::vector<float> single;         // instead of `value` where the file stores these and has no scale
    std::vector<unsigned char> valid;  // 0 where the file marks nodata; NaN may be marked, too

    double at(std::size_t i) const { return single.empty() ? value[i] : static_cast<double>(single[i]); }
};

// The grid to sweep, stored in blocks, and how its cells are read.
struct sweep_source {
    std::size_t rows = 0, columns = 0, block_height = 1, block_width = 1;
    // Into the memory of another block; by one thread at a time.
    std::function<void(int band, const window& block, block_values& into)> read;
    std::function<void(const window& block, block_values& into)> read_weights;  // empty: no raster of weights
    // Writes the true areas [m²] of `length` cells of a row; empty: not needed.
    std::function<void(std::size_t row, std::size_t column, std::size_t length, double* areas)> cell_areas;
};

struct sweep_request {
    std::vector<statistic> wanted;
    std::vector<double> quantiles;  // shares, 0 to 1, of statistic::quantile
    std::vector<int> bands;
    coverage_rule rule = coverage_rule::fraction;
    double least_share = 0;  // cells covered less are left out
    bool weighted = false;   // by read_weights, else by cell_areas
    std::size_t threads = 1;
    std::size_t cells_at_once = std::size_t{1} << 21;  // the target, over all bands; twice as many are held
};

// The zones, by number. They are counted as overlapping in this order.
struct sweep_zones {
    std::vector<window> where;                        // enclosing(); empty: off the grid
    std::function<zone(std::size_t number)> outline;  // called once, when the zone opens
    // After every strip of an open zone: its statistics so far, one per band; after the last one they are whole. May
    // throw to end the sweep.
    std::function<void(std::size_t number, std::vector<zone_statistics>& found, bool whole)> seen;
};

struct sweep_overlaps {
    std::size_t cells = 0;           // covered beyond their whole area
    std::vector<std::size_t> zones;  // that overlap another, by number
};

// progress: called with the share of the work done, 0..1; may throw to end the sweep.
sweep_overlaps sweep(const sweep_source& source, const sweep_request& asked, const sweep_zones& zones,
                     const std::function<void(double)>& progress);

}  // namespace gdalmcp_aggregation
