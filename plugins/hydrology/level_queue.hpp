// level_queue.hpp — cells by height, for floods: the lowest first, and none lower than the last one taken may come.
//
// A radix heap after R. Ahuja, K. Mehlhorn, J. Orlin, R. Tarjan: "Faster algorithms for the shortest path problem",
// Journal of the ACM 37 (1990), over the bits of the heights.
#pragma once
#include <algorithm>
#include <bit>
#include <type_traits>

#include "grid.hpp"

namespace gdalmcp_hydrology {

// F: float or double, never NaN.
template <class F>
class level_queue {
public:
    struct entry {
        F height;
        cell_index cell;
    };

    bool empty() const { return size_ == 0; }

    // REQUIRES: height not below that of the last entry taken.
    void push(F height, cell_index cell) {
        bins_[bin_of(ordered(height))].push_back({height, cell});
        ++size_;
    }

    // The lowest; equals in any order.
    entry pop() {
        if (bins_[0].empty()) refill();
        const auto lowest = bins_[0].back();
        bins_[0].pop_back();
        --size_;
        return lowest;
    }

private:
    using bits = std::conditional_t<sizeof(F) == 4, std::uint32_t, std::uint64_t>;

    // Integers in the order of the heights; -0.0 is 0.0.
    static bits ordered(F height) {
        const auto b = std::bit_cast<bits>(height + F{0});
        constexpr bits sign = bits{1} << (8 * sizeof(F) - 1);
        return b & sign ? ~b : b | sign;
    }
    std::size_t bin_of(bits key) const { return static_cast<std::size_t>(std::bit_width(bits(key ^ last_))); }

    // Spreads the first bin that is not empty over those before it.
    void refill() {
        std::size_t k = 1;
        while (bins_[k].empty()) ++k;
        last_ = ordered(bins_[k].front().height);
        for (const auto& e : bins_[k]) last_ = std::min(last_, ordered(e.height));
        for (const auto& e : bins_[k]) bins_[bin_of(ordered(e.height))].push_back(e);
        bins_[k].clear();
    }

    std::array<std::vector<entry>, 8 * sizeof(F) + 1> bins_;
    bits last_ = 0;
    std::size_t size_ = 0;
};

}  // namespace gdalmcp_hydrology
