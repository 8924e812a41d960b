#include "point_summary.hpp"

#include <algorithm>
#include <limits>

#include "aggregation/support.hpp"

namespace gdalmcp_aggregation_more {
namespace {

constexpr double undefined = std::numeric_limits<double>::quiet_NaN();

}  // namespace

void point_summary::add(std::optional<double> value) {
    ++count_;
    if (!value) return;
    min_ = values_ ? std::min(min_, *value) : *value;
    max_ = values_ ? std::max(max_, *value) : *value;
    ++values_;
    sum_.add(*value);
    if (keep_) kept_.push_back(*value);
}

double point_summary::sum() const { return values_ ? sum_.value() : undefined; }
double point_summary::mean() const { return values_ ? sum_.value() / static_cast<double>(values_) : undefined; }
double point_summary::min() const { return values_ ? min_ : undefined; }
double point_summary::max() const { return values_ ? max_ : undefined; }
double point_summary::median() const { return kept_.empty() ? undefined : gdalmcp_aggregation::median_of(kept_); }

}  // namespace gdalmcp_aggregation_more
