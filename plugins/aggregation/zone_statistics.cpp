#include "zone_statistics.hpp"

#include <algorithm>
#include <cmath>

namespace gdalmcp_aggregation {
namespace {

// Values are merged when this many have been added, then whenever their number has doubled.
constexpr std::size_t first_merge = std::size_t{1} << 16;

}  // namespace

std::string_view name_of(statistic s) { return statistic_names[static_cast<std::size_t>(s)]; }

std::optional<statistic> statistic_named(std::string_view name) {
    if (name == "mode") return statistic::majority;
    if (name == "std") return statistic::stdev;
    if (name == "cv") return statistic::coefficient_of_variation;
    for (std::size_t i = 0; i < statistic_names.size(); ++i)
        if (statistic_names[i] == name) return static_cast<statistic>(i);
    return {};
}

bool needs_values(statistic s) {
    return s == statistic::median || s == statistic::majority || s == statistic::minority || s == statistic::variety;
}

bool needs_weights(statistic s) { return s == statistic::weighted_sum || s == statistic::weighted_mean; }

void compensated_sum::add(double term) {
    const double total = sum_ + term;
    lost_ += std::abs(sum_) >= std::abs(term) ? (sum_ - total) + term : (term - total) + sum_;
    sum_ = total;
}

zone_statistics::zone_statistics(const std::vector<statistic>& wanted)
    : keep_values_{std::any_of(wanted.begin(), wanted.end(), needs_values)}, merge_at_{first_merge} {}

void zone_statistics::add(double value, double share) {
    if (!(share > 0)) return;
    min_ = cells_ ? std::min(min_, value) : value;
    max_ = cells_ ? std::max(max_, value) : value;
    ++cells_;
    count_.add(share);
    sum_.add(value * share);
    running_count_ += share;
    const double step = value - running_mean_;
    running_mean_ += step * share / running_count_;
    squares_ += share * step * (value - running_mean_);
    if (!keep_values_) return;
    values_.push_back({value, share});
    if (values_.size() >= merge_at_) merge_values();
}

void zone_statistics::add_weighted(double value, double share, double weight) {
    if (!(share > 0)) return;
    add(value, share);
    weighted_sum_.add(value * share * weight);
    weights_.add(share * weight);
}

void zone_statistics::merge_values() {
    values_ = distinct_values();
    merge_at_ = std::max(first_merge, 2 * values_.size());
}

std::vector<zone_statistics::weighed_value> zone_statistics::distinct_values() const {
    auto sorted = values_;
    std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.value < b.value; });
    std::vector<weighed_value> distinct;
    for (const auto& v : sorted) {
        if (distinct.empty() || distinct.back().value != v.value)
            distinct.push_back(v);
        else
            distinct.back().share += v.share;
    }
    return distinct;
}

double zone_statistics::variance() const { return std::max(0.0, squares_ / running_count_); }

std::optional<double> zone_statistics::value_of(statistic s) const {
    if (s == statistic::count) return count();
    if (s == statistic::variety) return static_cast<double>(distinct_values().size());
    if (cells_ == 0) return {};
    const auto ratio = [](double a, double b) { return b != 0 ? std::optional{a / b} : std::nullopt; };
    switch (s) {
        case statistic::sum:
            return sum_.value();
        case statistic::mean:
            return sum_.value() / count();
        case statistic::min:
            return min_;
        case statistic::max:
            return max_;
        case statistic::stdev:
            return std::sqrt(variance());
        case statistic::coefficient_of_variation:
            return ratio(std::sqrt(variance()), sum_.value() / count());
        case statistic::weighted_sum:
            return weighted_sum_.value();
        case statistic::weighted_mean:
            return ratio(weighted_sum_.value(), weights_.value());
        default:
            break;
    }
    const auto values = distinct_values();
    const auto by_share = [](const auto& a, const auto& b) { return a.share < b.share; };
    if (s == statistic::majority) return std::max_element(values.begin(), values.end(), by_share)->value;
    if (s == statistic::minority) return std::min_element(values.begin(), values.end(), by_share)->value;
    const double half = count() / 2 * (1 - 1e-12);  // shares are rounded: 0.1 + 0.2 must reach half of 0.6
    double cumulative = 0;
    for (const auto& v : values)
        if ((cumulative += v.share) >= half) return v.value;
    return values.back().value;
}

}  // namespace gdalmcp_aggregation
