#include "value_shares.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>

namespace gdalmcp_aggregation {

// The entry of the value, or the free entry for it. REQUIRES: a free entry.
std::size_t value_shares::place_of(double value) const {
    const auto bits = std::bit_cast<std::uint64_t>(value) * 0x9E3779B97F4A7C15u;  // Fibonacci hashing
    auto i = static_cast<std::size_t>(bits >> 32) & (entries_.size() - 1);
    while (entries_[i].used() && entries_[i].value != value) i = (i + 1) & (entries_.size() - 1);
    return i;
}

void value_shares::grow() {
    auto old = std::move(entries_);
    auto old_areas = std::move(areas_);
    entries_.assign(std::max<std::size_t>(8, 2 * old.size()), {});
    areas_.assign(with_areas_ ? entries_.size() : 0, {});
    for (std::size_t i = 0; i < old.size(); ++i) {
        if (!old[i].used()) continue;
        const auto at = place_of(old[i].value);
        entries_[at] = old[i];
        if (with_areas_) areas_[at] = old_areas[i];
    }
}

void value_shares::add(double value, double cells, double area) {
    value += 0.0;                                        // -0 becomes 0
    if (size_ == 0 || entries_[last_].value != value) {  // neighbours are mostly alike
        if (4 * (size_ + 1) > 3 * entries_.size()) grow();
        last_ = place_of(value);
    }
    auto& e = entries_[last_];
    if (!e.used()) {
        e.value = value;
        ++size_;
    }
    e.cells.add(cells);
    if (with_areas_) areas_[last_].add(area);
}

std::vector<value_share> value_shares::sorted() const {
    std::vector<value_share> all;
    all.reserve(size_);
    for (std::size_t i = 0; i < entries_.size(); ++i)
        if (entries_[i].used())
            all.push_back({entries_[i].value, entries_[i].cells.value(), with_areas_ ? areas_[i].value() : 0});
    std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.value < b.value; });
    return all;
}

}  // namespace gdalmcp_aggregation
