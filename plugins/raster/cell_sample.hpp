// cell_sample.hpp — a random sample of cells without replacement, the same on every machine and in whatever order cells
// are seen.
//
// Every cell has a number of 64 bits: the (i + 1)-th of the generator SplitMix64 (Steele, Lea and Flood 2014) of the
// seed, where i counts the cells of the raster in row order from 0. The sample of a stratum are its cells with the
// smallest numbers: permanent random numbers (Ohlsson 1995), so that a larger sample of one seed holds the smaller one.
//
//   cell_draw draw{seed, {{41, 10}, {52, 5}}};   // ten cells of stratum 41, five of 52
//   draw.see(41, cell);                          // every cell once; on several threads each its own cell_draw
//   draw.merge(of_another_thread);
//   draw.cells();
#pragma once
#include <cstdint>
#include <map>
#include <vector>

namespace gdalmcp_raster {

std::uint64_t cell_number(std::uint64_t seed, std::int64_t cell);

// The start of a systematic sample: 0 to step - 1, by one further number of the seed for each axis (0, 1).
std::int64_t systematic_start(std::uint64_t seed, int axis, std::int64_t step);

struct drawn_cell {
    std::int64_t cell = 0, stratum = 0;
    bool operator==(const drawn_cell&) const = default;
};

class cell_draw {
public:
    // sizes: wanted cells by stratum.
    cell_draw(std::uint64_t seed, const std::map<std::int64_t, std::int64_t>& sizes);

    // Cells of a stratum that is not wanted are passed over.
    void see(std::int64_t stratum, std::int64_t cell);
    void merge(const cell_draw& other);
    // In row order. Fewer than wanted of a stratum that has not as many cells.
    std::vector<drawn_cell> cells() const;

private:
    struct candidate {
        std::uint64_t number = 0;
        std::int64_t cell = 0;
        bool operator<(const candidate& o) const { return number != o.number ? number < o.number : cell < o.cell; }
    };
    struct stratum_draw {
        std::size_t wanted = 0;
        std::vector<candidate> best;  // a heap, the largest number first
        void offer(const candidate& c);
    };

    std::uint64_t seed_;
    std::map<std::int64_t, stratum_draw> strata_;
};

// Sizes of the samples of strata that together have `n` cells, in proportion to the strata's cells (largest remainders,
// of equal ones the smaller code first) and at least `least`, or all cells of a smaller stratum. REQUIRES: n is at
// least the sum of those minima and at most the number of cells.
std::map<std::int64_t, std::int64_t> allocation(const std::map<std::int64_t, std::int64_t>& cells, std::int64_t n,
                                                std::int64_t least);

}  // namespace gdalmcp_raster
