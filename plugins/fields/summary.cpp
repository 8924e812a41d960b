#include "summary.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

namespace gdalmcp_fields {

double number_summary::nan() { return std::numeric_limits<double>::quiet_NaN(); }

void number_summary::add(double value, std::int64_t row) {
    if (count_ == 0) origin_ = value;
    if (count_ == 0 || value < min_) min_ = value, min_row_ = row;
    if (count_ == 0 || value > max_) max_ = value, max_row_ = row;
    ++count_;
    sum_.add(value);
    const double from_origin = value - origin_;
    shifted_.add(from_origin);
    squares_.add_product(from_origin, from_origin);
    if (keep_) values_.push_back(value);
}

void number_summary::finish() { std::sort(values_.begin(), values_.end()); }

double number_summary::stdev(bool of_sample) const {
    const auto n = static_cast<double>(count_);
    const double divisor = of_sample ? n - 1 : n;
    if (!(divisor > 0)) return nan();
    const double mean = shifted_.value() / n;
    return std::sqrt(std::max(0.0, (squares_.value() - n * mean * mean) / divisor));
}

double number_summary::percentile(double percent) const {
    if (values_.empty()) return nan();
    const double at = percent / 100 * static_cast<double>(values_.size() - 1);
    const auto below = static_cast<std::size_t>(at);
    const auto above = std::min(below + 1, values_.size() - 1);
    return values_[below] + (values_[above] - values_[below]) * (at - static_cast<double>(below));
}

std::vector<std::pair<double, std::int64_t>> number_summary::occurrences() const {
    std::vector<std::pair<double, std::int64_t>> all;
    for (const double v : values_) {
        if (all.empty() || all.back().first != v) all.emplace_back(v, 0);
        ++all.back().second;
    }
    return all;
}

std::int64_t number_summary::variety() const { return static_cast<std::int64_t>(occurrences().size()); }

double number_summary::majority() const {
    const auto all = occurrences();
    const auto by_count = [](const auto& a, const auto& b) { return a.second < b.second; };
    return all.empty() ? nan() : std::max_element(all.begin(), all.end(), by_count)->first;
}

void text_summary::add(const std::string& value, std::int64_t row, double at) {
    ++count_;
    ++values_[{at, value}];
    numbers_.see(value);
    if (value.empty() || first_word_row_ != no_row || gdalmcp_vector::number_in(value)) return;
    first_word_ = value;
    first_word_row_ = row;
}

std::int64_t text_summary::filled() const {
    const auto empty = values_.find({0, ""});
    return count_ - (empty == values_.end() ? 0 : empty->second);
}

const std::string& text_summary::majority() const {
    const auto by_count = [](const auto& a, const auto& b) { return a.second < b.second; };
    return std::max_element(values_.begin(), values_.end(), by_count)->first.text;
}

void correlation::add(double a, double b) {
    ++count_;
    const auto n = static_cast<double>(count_);
    const double from_a = a - mean_a_, from_b = b - mean_b_;
    mean_a_ += from_a / n;
    mean_b_ += from_b / n;
    squares_a_ += from_a * (a - mean_a_);
    squares_b_ += from_b * (b - mean_b_);
    products_ += from_a * (b - mean_b_);
}

double correlation::value() const {
    const double scale = std::sqrt(squares_a_) * std::sqrt(squares_b_);
    if (count_ < 2 || !(scale > 0)) return std::numeric_limits<double>::quiet_NaN();
    return std::clamp(products_ / scale, -1.0, 1.0);
}

}  // namespace gdalmcp_fields
