#include "class_changes.hpp"

namespace gdalmcp_raster {
namespace {

void add(class_size& sum, const class_size& more) {
    sum.count += more.count;
    sum.area += more.area;
}

}  // namespace

std::map<std::int64_t, class_balance> balances_of(const std::map<std::int64_t, class_size>& sizes) {
    std::map<std::int64_t, class_balance> all;
    for (const auto& [packed, size] : sizes) {
        const auto change = class_change::of(packed);
        auto &from = all[change.from], &to = all[change.to];
        add(from.before, size);
        add(to.after, size);
        if (change.from == change.to) {
            add(from.unchanged, size);
        } else {
            add(from.loss, size);
            add(to.gain, size);
        }
    }
    return all;
}

}  // namespace gdalmcp_raster
