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
    largest_.assign(block.size(), 0);
    owner_.resize(block.size());
}

void overlap_count::add(const std::vector<span>& covered, std::size_t zone) {
    const auto from =
        std::partition_point(covered.begin(), covered.end(), [&](const auto& s) { return s.row < block_.row; });
    for (auto s = from; s != covered.end() && s->row < block_.row + block_.height; ++s) add_span(*s, zone);
}

void overlap_count::add_span(const span& covered, std::size_t zone) {
    const auto first = std::max(covered.column, block_.column);
    const auto last = std::min(covered.column + covered.length, block_.column + block_.width);
    const int share = static_cast<int>(covered.share * whole);
    if (first >= last) return;
    const auto from = (covered.row - block_.row) * block_.width + first - block_.column;
    if (const auto n = last - first;
        share == whole && std::all_of(&taken_[from], &taken_[from] + n, [](unsigned char t) { return t == 0; })) {
        std::fill_n(&taken_[from], n, static_cast<unsigned char>(whole));
        std::fill_n(&largest_[from], n, static_cast<unsigned char>(whole));
        std::fill_n(&owner_[from], n, static_cast<std::uint32_t>(zone));
        return;
    }
    for (auto column = first; column < last; ++column) {
        const auto at = (covered.row - block_.row) * block_.width + column - block_.column;
        auto& taken = taken_[at];
        const int sum = taken + share;
        if (sum > whole) {
            // A neighbour of two zones that overlap reaches into their cells as well, but overlaps neither.
            const bool pair = largest_[at] + share > whole;
            if (pair || taken != beyond) name(zone, pair ? owner_[at] : zone);
            cells_ += taken != beyond;
        }
        taken = sum > whole ? beyond : static_cast<unsigned char>(sum);
        if (share <= largest_[at]) continue;
        largest_[at] = static_cast<unsigned char>(share);
        owner_[at] = static_cast<std::uint32_t>(zone);
    }
}

void overlap_count::name(std::size_t zone, std::size_t other) {
    if (last_ == std::pair{zone, other}) return;
    last_ = {zone, other};
    zones_.insert({zone, other});
}

}  // namespace gdalmcp_aggregation
