// quality_rule.hpp — which cells a quality band excludes.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

namespace gdalmcp_temporal {

struct quality_rule {
    std::uint64_t bits = 0;      // any of them set excludes
    std::vector<double> values;  // each excludes

    // value: of a quality band; whole and not negative where bits are asked for.
    bool excludes(double value) const {
        if (bits != 0 && (static_cast<std::uint64_t>(value) & bits) != 0) return true;
        return std::find(values.begin(), values.end(), value) != values.end();
    }
};

}  // namespace gdalmcp_temporal
