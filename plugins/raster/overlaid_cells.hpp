// overlaid_cells.hpp — the cells of a block where rasters overlap: one value each by a rule, and how far the rasters
// disagree. Over plain arrays; doubles hold every value of the types of up to 32 bits, and of Float64, exactly.
#pragma once
#include <cstdint>
#include <vector>

#include "statistics.hpp"

namespace gdalmcp_raster {

enum class overlap_rule { first, last, min, max, mean };

// The cells of one raster within a block, row by row, from (column, row) of the block on.
struct cell_patch {
    int column = 0, row = 0, width = 0, height = 0;
    const double* values = nullptr;
    const unsigned char* valid = nullptr;  // 0 = no data
};

class overlaid_cells {
public:
    explicit overlaid_cells(overlap_rule rule) : rule_{rule} {}

    void begin(int width, int height);
    void add(const cell_patch& patch);  // in the order of the rasters
    void end();                         // values() are complete

    std::size_t size() const { return seen_.size(); }
    bool valid(std::size_t i) const { return seen_[i] > 0; }
    bool overlap(std::size_t i) const { return seen_[i] > 1; }
    // Largest less smallest of the values there; 0 = they agree.
    double spread(std::size_t i) const { return low_[i] == high_[i] || seen_[i] < 2 ? 0 : high_[i] - low_[i]; }
    double value(std::size_t i) const { return values_[i]; }  // REQUIRES: valid(i)

private:
    overlap_rule rule_;
    int width_ = 0;
    std::vector<double> values_, low_, high_;
    std::vector<std::uint16_t> seen_;  // rasters with data there
};

// What a mosaic found, of all bands together: a cell overlaps or differs if it does in any band, and is a gap if no
// band has data there. The same whatever the blocks.
struct overlap_findings {
    std::int64_t overlapping = 0, differing = 0, gaps = 0;
    std::int64_t unlike = 0;       // cells of a raster compared with it that differ, of all bands
    std::int64_t like_nodata = 0;  // valid values equal to the one that marks gaps, of all bands
    double largest = 0;            // difference
    cell_place largest_at;         // the first of them in row order
    void differ(double by, cell_place at);
};

}  // namespace gdalmcp_raster
