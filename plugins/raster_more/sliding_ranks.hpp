// sliding_ranks.hpp — statistics of large windows over plain arrays, by counts of each value that are kept while the
// window slides along a row: a cell costs the outline of the window, not its area. Huang, Yang and Tang, "A fast
// two-dimensional median filtering algorithm", IEEE Transactions on Acoustics 27 (1979). Counts are whole numbers, so
// the results are those of focal() bit by bit.
//
//   sliding_ranks ranks{window};
//   ranks.rank(cells, count);  // of a block with its halo
//   if (ranks.suits(focal_statistic::median)) ranks.slide(focal_statistic::median, first, count, none, out);
#pragma once
#include <cstdint>

#include "focal.hpp"

namespace gdalmcp_raster_more {

class sliding_ranks {
public:
    // window: holds its own cell, as rectangle() and circle() do.
    explicit sliding_ranks(const std::vector<focal_neighbour>& window);

    // Ranks `count` cells from cells.first on, all that windows will reach.
    void rank(const focal_cells& cells, std::size_t count);
    // Whether the statistic can be had from the counts, and sooner than cell by cell. REQUIRES: rank().
    bool suits(focal_statistic s) const;
    // As focal() of `count` cells from the ranked cell `first` to the right.
    void slide(focal_statistic s, std::size_t first, std::size_t count, double none, double* out);

private:
    static constexpr std::uint32_t missing = ~std::uint32_t{0};

    void count_cell(std::uint32_t rank, int by);
    std::size_t nth(std::size_t n) const;  // rank of the n-th smallest value in the window, from 0
    double median() const;
    double by_frequency(bool least) const;
    double value(focal_statistic s) const;

    std::vector<focal_neighbour> window_, entering_, leaving_;  // leaving: of the cell to the left
    std::ptrdiff_t stride_ = 0;
    std::vector<double> values_;                  // all different ones, ascending
    std::vector<std::uint32_t> ranks_;            // of the cells
    std::vector<std::uint32_t> counts_, coarse_;  // of ranks, and of runs of 512 ranks
    std::size_t held_ = 0, kinds_ = 0;
};

}  // namespace gdalmcp_raster_more
