#include "overlaid_cells.hpp"

#include <algorithm>

namespace gdalmcp_raster {

void overlaid_cells::begin(int width, int height) {
    width_ = width;
    const auto cells = static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
    values_.resize(cells);
    low_.resize(cells);
    high_.resize(cells);
    seen_.assign(cells, 0);
}

void overlaid_cells::add(const cell_patch& p) {
    std::size_t from = 0;
    for (int row = 0; row < p.height; ++row) {
        auto at = static_cast<std::size_t>(p.row + row) * static_cast<std::size_t>(width_) +
                  static_cast<std::size_t>(p.column);
        for (int i = 0; i < p.width; ++i, ++at, ++from) {
            if (!p.valid[from]) continue;
            const double v = p.values[from];
            if (seen_[at]++ == 0) {
                values_[at] = low_[at] = high_[at] = v;
                continue;
            }
            low_[at] = std::min(low_[at], v);
            high_[at] = std::max(high_[at], v);
            if (rule_ == overlap_rule::last) values_[at] = v;
            if (rule_ == overlap_rule::mean) values_[at] += v;
        }
    }
}

void overlaid_cells::end() {
    if (rule_ == overlap_rule::first || rule_ == overlap_rule::last) return;
    for (std::size_t i = 0; i < seen_.size(); ++i) {
        if (seen_[i] < 2) continue;
        if (rule_ == overlap_rule::min || low_[i] == high_[i])
            values_[i] = low_[i];  // the mean of equal values is that value, which a rounded sum may miss
        else if (rule_ == overlap_rule::max)
            values_[i] = high_[i];
        else
            values_[i] /= seen_[i];
    }
}

void overlap_findings::differ(double by, cell_place at) {
    if (by < largest || (by == largest && !(at < largest_at))) return;
    largest = by;
    largest_at = at;
}

}  // namespace gdalmcp_raster
