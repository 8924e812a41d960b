#include "class_rules.hpp"

#include <algorithm>
#include <cmath>

#include "wide_registers.hpp"

namespace gdalmcp_raster {

class_table::class_table(std::vector<class_rule> rules) : rules_{std::move(rules)} {
    std::stable_sort(rules_.begin(), rules_.end(), [](const auto& a, const auto& b) { return a.lowest < b.lowest; });
    constexpr double infinity = std::numeric_limits<double>::infinity();
    for (const auto& r : rules_) {
        lowest_.push_back(r.lowest);
        end_.push_back(r.closed ? std::nextafter(r.highest, infinity) : r.highest);
    }
}

GDALMCP_WIDE_REGISTERS
void class_table::codes_of(const double* values, std::size_t count, std::int32_t* codes) const {
    std::fill_n(codes, count, -1);
    // Few rules are all tried, which takes no branch and so runs in vector registers.
    constexpr std::size_t few = 24;
    if (rules_.size() <= few) {
        for (std::size_t k = 0; k < rules_.size(); ++k) {
            const double lowest = lowest_[k], end = end_[k];
            const auto code = static_cast<std::int32_t>(rules_[k].code);
            for (std::size_t i = 0; i < count; ++i)
                codes[i] = ((values[i] >= lowest) & (values[i] < end)) ? code : codes[i];
        }
        return;
    }
    for (std::size_t i = 0; i < count; ++i) {
        // The last rule that begins at or below the value.
        const auto after = std::upper_bound(lowest_.begin(), lowest_.end(), values[i]) - lowest_.begin();
        if (after == 0) continue;
        const auto k = static_cast<std::size_t>(after) - 1;
        if (values[i] < end_[k]) codes[i] = static_cast<std::int32_t>(rules_[k].code);
    }
}

overlapping_rules overlap_of(const class_table& table) {
    const auto& all = table.rules();
    for (std::size_t i = 1; i < all.size(); ++i) {
        const auto &a = all[i - 1], &b = all[i];
        if (b.lowest < a.highest || (a.closed && b.lowest == a.highest) || b.lowest == a.lowest) return {&a, &b};
    }
    return {};
}

}  // namespace gdalmcp_raster
