#include "value_census.hpp"

#include <cmath>
#include <gdalmcp/nodata_range.hpp>

namespace gdalmcp_raster {

void value_census::extreme::see(double v, double sign) {
    if (cells > 0 && v == value) {
        ++cells;
    } else if (cells == 0 || sign * v < sign * value) {
        has_next = cells > 0;
        next = value;
        value = v;
        cells = 1;
    } else if (!has_next || sign * v < sign * next) {
        has_next = true;
        next = v;
    }
}

void value_census::see(const double* values, const unsigned char* valid, std::size_t n) {
    // Most cells lie between the extremes, where only their number counts: they are looked at by sixteens, which the
    // compiler can take in vector registers.
    constexpr std::size_t at_once = 16;
    const auto between = [&](std::size_t i) {
        int all = 1;
        for (std::size_t k = i; k < i + at_once; ++k)
            all &= static_cast<int>(valid[k] != 0) & static_cast<int>(values[k] > low_.next) &
                   static_cast<int>(values[k] < high_.next);
        return all != 0;
    };
    for (std::size_t i = 0; i < n; ++i) {
        while (more_ && i + at_once <= n && between(i)) {
            valid_ += at_once;
            i += at_once;
        }
        if (i == n) break;
        if (!valid[i] || !std::isfinite(values[i])) {
            ++missing_;
            continue;
        }
        ++valid_;
        low_.see(values[i], 1);
        high_.see(values[i], -1);
        if (more_) continue;
        distinct_.insert(values[i]);
        if (distinct_.size() <= max_distinct) continue;
        distinct_.erase(std::prev(distinct_.end()));
        more_ = true;
    }
}

double value_census::missing_share() const {
    return missing_ == 0 ? 0 : static_cast<double>(missing_) / static_cast<double>(valid_ + missing_);
}

std::vector<suspect> value_census::suspects() const {
    std::vector<suspect> found;
    if (valid_ == 0 || !low_.has_next) return found;
    const bool two_values = distinct_.size() == 2 && !more_;
    for (const auto& [end, other] : {std::pair{low_, high_.value}, {high_, low_.value}}) {
        if (!(gdalmcp::customary_nodata(end.value) || (gdalmcp::possible_nodata(end.value) && !two_values))) continue;
        const double share = static_cast<double>(end.cells) / static_cast<double>(valid_);
        const double gap = std::abs(end.next - end.value), rest = std::abs(other - end.next);
        if (share > 0.001 && gap > 1 && gap >= rest / 10) found.push_back({end.value, share, end.next});
    }
    return found;
}

}  // namespace gdalmcp_raster
