#include "overlap_count.hpp"

#include <algorithm>

namespace gdalmcp_aggregation {
namespace {

// Shares are summed in 1/250 of a cell, rounded down: rounding and slivers do not count as overlap.
constexpr int whole = 250;
constexpr unsigned char beyond = 255;

}  // namespace

void overlap_count::begin(const window& block) {
    block_ = block;
    taken_.assign(block.size(), 0);
}

bool overlap_count::add(const span& covered) {
    if (covered.row < block_.row || covered.row >= block_.row + block_.height) return false;
    const auto first = std::max(covered.column, block_.column);
    const auto last = std::min(covered.column + covered.length, block_.column + block_.width);
    const int share = static_cast<int>(covered.share * whole);
    bool overlapping = false;
    for (auto column = first; column < last; ++column) {
        auto& taken = taken_[(covered.row - block_.row) * block_.width + column - block_.column];
        const int sum = taken + share;
        if (taken != beyond && sum > whole) ++cells_;
        overlapping = overlapping || sum > whole;
        taken = sum > whole ? beyond : static_cast<unsigned char>(sum);
    }
    return overlapping;
}

}  // namespace gdalmcp_aggregation
