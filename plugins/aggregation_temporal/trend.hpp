// trend.hpp — the change of a cell over time, without assumptions about the distribution of its values.
#pragma once
#include <vector>

#include "cell_stack.hpp"

namespace gdalmcp_temporal {

// Fewer observations have no trend: of three, no order is unlikely enough to mean anything.
constexpr std::size_t least_for_trend = 4;

struct trend_of_cell {
    double slope;    // units of the values per unit of time
    double p_value;  // 0 to 1
};

// slope: the median of the slopes between all pairs of observations (Sen 1968). p_value: of the two-sided test of Mann
// (1945) and Kendall (1975) in its normal approximation, with the corrections for ties and continuity (Gilbert 1987,
// section 16.4). times: ascending, no two equal. pairs: room to work in.
// REQUIRES: as many times as values, at least two.
trend_of_cell trend(const std::vector<double>& times, const std::vector<double>& values, std::vector<double>& pairs);

// Of each cell with at least least_for_trend observations; NaN of others. times: of the rows.
void trend(const cell_stack& s, const std::vector<double>& times, double* slope, double* p_value);

}  // namespace gdalmcp_temporal
