#include "sliding_ranks.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace gdalmcp_raster_more {
namespace {

constexpr std::size_t run = 512;

}  // namespace

sliding_ranks::sliding_ranks(const std::vector<focal_neighbour>& window) : window_{window} {
    std::set<std::pair<int, int>> cells;
    for (const auto& n : window) cells.emplace(n.row, n.column);
    for (const auto& n : window) {
        if (!cells.contains({n.row, n.column + 1})) entering_.push_back(n);
        if (!cells.contains({n.row, n.column - 1})) leaving_.push_back({n.row, n.column - 1});
    }
}

void sliding_ranks::rank(const focal_cells& cells, std::size_t count) {
    stride_ = cells.stride;
    const auto real = [&](std::size_t i) { return cells.first[i] * cells.scale + cells.offset; };
    values_.clear();
    for (std::size_t i = 0; i < count; ++i)
        if (cells.valid[i]) values_.push_back(real(i));
    std::sort(values_.begin(), values_.end());
    values_.erase(std::unique(values_.begin(), values_.end()), values_.end());
    ranks_.assign(count, missing);
    for (std::size_t i = 0; i < count; ++i)
        if (cells.valid[i])
            ranks_[i] =
                static_cast<std::uint32_t>(std::lower_bound(values_.begin(), values_.end(), real(i)) - values_.begin());
}

bool sliding_ranks::suits(focal_statistic s) const {
    switch (s) {
        case focal_statistic::min:
        case focal_statistic::max:
        case focal_statistic::range:
        case focal_statistic::median:
        case focal_statistic::count:
        case focal_statistic::variety:
            return true;
        case focal_statistic::majority:
        case focal_statistic::minority:
            return values_.size() <= window_.size();  // every count is looked at
        default:
            return false;
    }
}

void sliding_ranks::count_cell(std::uint32_t rank, int by) {
    if (rank == missing) return;
    auto& n = counts_[rank];
    kinds_ += by > 0 && n == 0;
    n += static_cast<std::uint32_t>(by);
    kinds_ -= by < 0 && n == 0;
    coarse_[rank / run] += static_cast<std::uint32_t>(by);
    held_ += static_cast<std::size_t>(by);
}

std::size_t sliding_ranks::nth(std::size_t n) const {
    std::size_t at = 0;
    for (; coarse_[at] <= n; ++at) n -= coarse_[at];
    for (at *= run; counts_[at] <= n; ++at) n -= counts_[at];
    return at;
}

double sliding_ranks::median() const {
    const double upper = values_[nth(held_ / 2)];
    return held_ % 2 ? upper : (values_[nth(held_ / 2 - 1)] + upper) / 2;
}

double sliding_ranks::by_frequency(bool least) const {
    std::size_t found = 0;
    std::uint32_t best = 0;
    for (std::size_t i = 0; i < counts_.size(); ++i)
        if (counts_[i] > 0 && (best == 0 || (least ? counts_[i] < best : counts_[i] > best))) {
            best = counts_[i];
            found = i;
        }
    return values_[found];
}

double sliding_ranks::value(focal_statistic s) const {
    switch (s) {
        case focal_statistic::min:
            return values_[nth(0)];
        case focal_statistic::max:
            return values_[nth(held_ - 1)];
        case focal_statistic::range:
            return values_[nth(held_ - 1)] - values_[nth(0)];
        case focal_statistic::median:
            return median();
        case focal_statistic::count:
            return static_cast<double>(held_);
        case focal_statistic::variety:
            return static_cast<double>(kinds_);
        default:
            return by_frequency(s == focal_statistic::minority);
    }
}

void sliding_ranks::slide(focal_statistic s, std::size_t first, std::size_t count, double none, double* out) {
    counts_.assign(values_.size(), 0);
    coarse_.assign(values_.size() / run + 1, 0);
    held_ = kinds_ = 0;
    const auto rank_at = [&](std::size_t cell, const focal_neighbour& n) {
        return ranks_[static_cast<std::size_t>(static_cast<std::ptrdiff_t>(cell) + n.row * stride_ + n.column)];
    };
    for (std::size_t i = 0; i < count; ++i) {
        const auto cell = first + i;
        if (i == 0) {
            for (const auto& n : window_) count_cell(rank_at(cell, n), 1);
        } else {
            for (const auto& n : entering_) count_cell(rank_at(cell, n), 1);
            for (const auto& n : leaving_) count_cell(rank_at(cell, n), -1);
        }
        out[i] = ranks_[cell] == missing ? none : value(s);
    }
}

}  // namespace gdalmcp_raster_more
