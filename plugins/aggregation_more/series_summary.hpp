// series_summary.hpp — what the values of one place over time come to, and their runs beyond a threshold.
//
//   summary_of({1, 2, NaN, 3}, {}).mean == 2;
//   runs_of({31, 35, NaN, 40, 8}, {30, true});   // above 30: observations 0 to 1, and 3
//
// A series holds one value for each observation, in the order of time, NaN where the place has none: a gap.
#pragma once
#include <cstddef>
#include <optional>
#include <vector>

#include "aggregation_temporal/trend.hpp"

namespace gdalmcp_aggregation_more {

struct series_summary {
    std::size_t valid = 0;                // observations with a value
    std::size_t first = 0, last = 0;      // of these
    std::size_t lowest = 0, highest = 0;  // where the extremes are; of equal values the first
    double mean = 0, min = 0, max = 0;    // NaN: no value
    std::optional<gdalmcp_temporal::trend_of_cell> trend;
};

// times: of the observations, ascending, no two equal; the slope is per unit of them. Empty, or fewer values than
// gdalmcp_temporal::least_for_trend: no trend. The places mean
// nothing where no observation has a value.
series_summary summary_of(const std::vector<double>& values, const std::vector<double>& times);

struct threshold {
    double value;
    bool above;  // beyond it are greater values, else smaller ones; the value itself is not

    bool beyond(double v) const { return above ? v > value : v < value; }  // false of a gap
};

// Consecutive observations beyond a threshold, by their places in the series.
struct value_run {
    std::size_t first, last;
    std::size_t observations() const { return last - first + 1; }
    bool operator==(const value_run&) const = default;
};

// All of them, in the order of time. Any other observation ends a run, with a value or without.
std::vector<value_run> runs_of(const std::vector<double>& values, const threshold& t);

// The place in `runs` of the one that lasts the most days, from its first to its last observation; of those as long the
// one with the most observations, then the first. days: of the observations; empty: unknown, the observations alone
// count. REQUIRES: at least one run.
std::size_t longest_of(const std::vector<value_run>& runs, const std::vector<double>& days);

}  // namespace gdalmcp_aggregation_more
