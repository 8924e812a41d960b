// coverage.hpp — how much of each cell of a block a zone covers.
//
//     const auto share = cover(outline, {0, 0, 2, 2}, coverage_rule::fraction);
//     share[row * width + column]   // 0 = untouched, 1 = wholly inside
//
// The fraction is exact but for rounding: every edge adds, to each row it passes, the area to its right; a running sum
// along the row then gives the covered share (the signed-area accumulation of scan converters). Work is proportional
// to the edges' cells plus the block, so a large zone can be covered strip by strip with the same result.
#pragma once
#include "zone.hpp"

namespace gdalmcp_aggregation {

enum class coverage_rule {
    fraction,    // the share of the cell's area inside the zone
    center,      // 1 if the cell's centre is inside, else 0; a centre on a shared border belongs to one zone only
    all_touched  // 1 if any area of the cell is inside, else 0; touching along a side or corner does not count
};

// Shares closer than this to 0 or 1 are taken as 0 or 1: far above rounding, far below any effect on a statistic.
inline constexpr double coverage_rounding = 1e-9;

// Row-major shares of the cells of `block`. REQUIRES: a valid outline (see zone.hpp).
std::vector<double> cover(const zone& outline, const window& block, coverage_rule rule);

}  // namespace gdalmcp_aggregation
