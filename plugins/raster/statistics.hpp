// statistics.hpp — statistics of a stream of cells, over plain arrays. Whole numbers are summed exactly (128 bits),
// others by Welford's update in long double. Percentiles are exact up to `kept_limit` cells and for 8- and 16-bit
// values; beyond that they come from a histogram of 2^20 bins, off by at most a millionth of the range.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace gdalmcp_raster {

struct cell_counts {
    std::int64_t valid = 0, nodata = 0, nan = 0, infinite = 0;
};

class statistics {
public:
    static constexpr std::size_t kept_limit = 16'000'000;

    // whole: every value is a whole number of at most 32 bits. small_from, small_to: the range of an 8- or 16-bit type,
    // for exact counts.
    explicit statistics(bool whole, std::optional<std::array<double, 2>> small = std::nullopt);

    // valid: 0 = nodata. Values that are NaN or infinite are counted apart and enter nothing else.
    void add(const double* values, const unsigned char* valid, std::size_t n);

    const cell_counts& counts() const { return counts_; }
    // REQUIRES of all below: counts().valid > 0.
    double min() const { return min_; }
    double max() const { return max_; }
    std::int64_t cells_at_min() const { return at_min_; }
    std::int64_t cells_at_max() const { return at_max_; }
    double sum() const;
    double mean() const;
    double std() const;  // population form

    // Too many cells were seen to keep them: percentiles and histograms need them again through refine().
    bool needs_second_pass() const { return overflowed_; }
    void refine(const double* values, const unsigned char* valid, std::size_t n);

    // p in [0, 100]; linear between the two nearest ranks, (n - 1)·p/100 (type 7 of Hyndman & Fan 1996, numpy's
    // default).
    double percentile(double p);
    // Equal bins from min to max; the last one holds max.
    std::vector<std::int64_t> histogram(std::size_t bins);
    bool approximate() const { return overflowed_; }

private:
    __extension__ typedef __int128 wide;  // NOLINT: __extension__ has no using form
    double ranked(std::int64_t rank);     // the rank-th smallest value, from 0

    bool whole_;
    std::optional<std::array<double, 2>> small_;
    cell_counts counts_;
    double min_ = 0, max_ = 0;
    std::int64_t at_min_ = 0, at_max_ = 0;
    wide sum_ = 0, squares_ = 0;
    long double mean_ = 0, deviations_ = 0;
    std::vector<std::int64_t> tally_;  // per value of a small type, or per bin of the second pass
    std::vector<double> kept_;
    bool sorted_ = false, overflowed_ = false;
};

}  // namespace gdalmcp_raster
