#include "fused_figures.hpp"

#include <algorithm>
#include <limits>

namespace gdalmcp_aggregation_more {

void fused_figures::add(double value, double share, double area) {
    if (valid_++ == 0) shift_ = value;
    total_.add_product(value, share);
    weight_.add(share);
    sum_.add_product(value - shift_, share);
    squares_.add_product(value - shift_, value - shift_, share);
    if (!classes_ || too_many_) return;
    areas_[value] += area;
    if (constexpr std::size_t most = 65'536; areas_.size() > most) too_many_ = true;
}

double fused_figures::missing_share() const {
    const auto all = valid_ + missing_;
    return all == 0 ? 0 : static_cast<double>(missing_) / static_cast<double>(all);
}

double fused_figures::mean() const { return shift_ + sum_.value() / weight_.value(); }

double fused_figures::std() const {
    const double mean = sum_.value() / weight_.value();
    return std::sqrt(std::max(0.0, squares_.value() / weight_.value() - mean * mean));
}

double fused_figures::share_lost_in(const fused_figures& other) const {
    double all = 0, lost = 0;
    for (const auto& [value, area] : areas_) {
        all += area;
        if (!other.areas_.contains(value)) lost += area;
    }
    return all > 0 ? lost / all : 0;
}

double relative_difference(double before, double after) {
    if (before == after) return 0;
    return before == 0 ? std::numeric_limits<double>::infinity() : (after - before) / std::abs(before);
}

}  // namespace gdalmcp_aggregation_more
