// class_changes.hpp — changes from one class to another: a change as one number, and the gains and losses of classes.
#pragma once
#include <cstdint>
#include <map>

#include "statistics.hpp"

namespace gdalmcp_raster {

// From one code to another, in the order of `from`, then of `to`. REQUIRES: both within 32 bits with a sign.
struct class_change {
    std::int64_t from = 0, to = 0;

    std::int64_t packed() const { return from * (std::int64_t{1} << 32) + (to + (std::int64_t{1} << 31)); }
    static class_change of(std::int64_t packed) {
        return {packed >> 32, (packed & 0xffffffff) - (std::int64_t{1} << 31)};
    }
};

struct class_balance {
    class_size before, after, unchanged, gain, loss;  // gain: from other classes; loss: to other classes
};

// sizes: by packed change. By code, of every class before or after.
std::map<std::int64_t, class_balance> balances_of(const std::map<std::int64_t, class_size>& sizes);

}  // namespace gdalmcp_raster
