#include "class_rules.hpp"

#include <algorithm>
#include <cmath>

#include "datasets/wide_registers.hpp"

namespace gdalmcp_raster {

class_table::class_table(std::vector<class_rule> rules) : rules_{std::move(rules)} {
    std::stable_sort(rules_.begin(), rules_.end(), [](const auto& a, const auto& b) { return a.lowest < b.lowest; });
    constexpr double infinity = std::numeric_limits<double>::infinity();
    for (const auto& r : rules_) {
        lowest_.push_back(r.lowest);
        end_.push_back(r.closed ? std::nextafter(r.highest, infinity) : r.highest);
    }
}

namespace {

// Few rules are all tried, which takes no branch and so runs in vector registers.
constexpr std::size_t few = 24;

template <class Real>
[[gnu::always_inline]] inline void try_all(const std::vector<class_rule>& rules, const std::vector<double>& lowest_of,
                                           const std::vector<double>& end_of, const Real* values, std::size_t count,
                                           std::int32_t* codes) {
    std::fill_n(codes, count, -1);
    for (std::size_t k = 0; k < rules.size(); ++k) {
        const auto lowest = static_cast<Real>(lowest_of[k]), end = static_cast<Real>(end_of[k]);
        const auto code = static_cast<std::int32_t>(rules[k].code);
        for (std::size_t i = 0; i < count; ++i)
            codes[i] = ((values[i] >= lowest) & (values[i] < end)) ? code : codes[i];
    }
}

}  // namespace

GDALMCP_WIDE_REGISTERS
void class_table::codes_of(const double* values, std::size_t count, std::int32_t* codes) const {
    if (rules_.size() <= few) return try_all(rules_, lowest_, end_, values, count, codes);
    for (std::size_t i = 0; i < count; ++i) codes[i] = code_of(values[i]);
}

GDALMCP_WIDE_REGISTERS
void class_table::codes_of(const float* values, std::size_t count, std::int32_t* codes) const {
    if (rules_.size() <= few) return try_all(rules_, lowest_, end_, values, count, codes);
    for (std::size_t i = 0; i < count; ++i) codes[i] = code_of(static_cast<double>(values[i]));
}

std::int32_t class_table::code_of(double value) const {
    // The last rule that begins at or below the value.
    const auto after = std::upper_bound(lowest_.begin(), lowest_.end(), value) - lowest_.begin();
    if (after == 0) return -1;
    const auto k = static_cast<std::size_t>(after) - 1;
    return value < end_[k] ? static_cast<std::int32_t>(rules_[k].code) : -1;
}

bool class_table::single() const {
    const auto held = [](double v) { return static_cast<double>(static_cast<float>(v)) == v; };
    return std::all_of(lowest_.begin(), lowest_.end(), held) && std::all_of(end_.begin(), end_.end(), held);
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
