#include "overlap_count.hpp"

namespace gdalmcp_aggregation {
namespace {

constexpr std::size_t largest_grid = std::size_t{1} << 28;

// Shares are summed in 1/250 of a cell, rounded down: rounding and slivers are no overlap.
constexpr int whole = 250;
constexpr unsigned char beyond = 255;

}  // namespace

overlap_count::overlap_count(std::size_t rows, std::size_t columns)
    : columns_{columns}, too_large_{rows * columns > largest_grid} {
    if (!too_large_) taken_.assign(rows * columns, 0);
}

bool overlap_count::add(const window& block, const std::vector<double>& shares) {
    if (taken_.empty()) return false;
    bool overlapping = false;
    for (std::size_t i = 0; i < shares.size(); ++i) {
        if (shares[i] == 0) continue;
        auto& taken = taken_[(block.row + i / block.width) * columns_ + block.column + i % block.width];
        const int sum = taken + static_cast<int>(shares[i] * whole);
        if (taken != beyond && sum > whole) ++cells_;
        overlapping = overlapping || sum > whole;
        taken = sum > whole ? beyond : static_cast<unsigned char>(sum);
    }
    return overlapping;
}

}  // namespace gdalmcp_aggregation
