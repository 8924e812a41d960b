#include "trend.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace gdalmcp_temporal {
namespace {

// Reorders the values.
double median_of(std::vector<double>& values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    if (values.size() % 2 == 1) return *middle;
    return (*std::max_element(values.begin(), middle) + *middle) / 2;
}

// The sum over groups of t equal values of t (t - 1) (2 t + 5). Sorts the values.
double ties_in(std::vector<double>& values) {
    std::sort(values.begin(), values.end());
    double sum = 0;
    for (auto from = values.begin(); from != values.end();) {
        const auto to = std::upper_bound(from, values.end(), *from);
        const auto t = static_cast<double>(to - from);
        sum += t * (t - 1) * (2 * t + 5);
        from = to;
    }
    return sum;
}

}  // namespace

trend_of_cell trend(const std::vector<double>& times, const std::vector<double>& values, std::vector<double>& pairs) {
    const std::size_t n = values.size();
    double score = 0;
    pairs.clear();
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = i + 1; j < n; ++j) {
            score += (values[j] > values[i]) - (values[j] < values[i]);
            pairs.push_back((values[j] - values[i]) / (times[j] - times[i]));
        }
    trend_of_cell t{median_of(pairs), 1};
    pairs = values;
    const auto count = static_cast<double>(n);
    const double variance = (count * (count - 1) * (2 * count + 5) - ties_in(pairs)) / 18;
    if (score == 0 || variance <= 0) return t;
    t.p_value = std::erfc((std::abs(score) - 1) / std::sqrt(2 * variance));
    return t;
}

void trend(const cell_stack& s, const std::vector<double>& times, double* slope, double* p_value) {
    std::vector<double> when, values, pairs;
    for (std::size_t k = 0; k < s.cells(); ++k) {
        when.clear();
        values.clear();
        for (std::size_t o = 0; o < s.observations(); ++o) {
            if (std::isnan(s.row(o)[k])) continue;
            when.push_back(times[o]);
            values.push_back(s.row(o)[k]);
        }
        trend_of_cell t{std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::quiet_NaN()};
        if (values.size() >= least_for_trend) t = trend(when, values, pairs);
        slope[k] = t.slope;
        p_value[k] = t.p_value;
    }
}

}  // namespace gdalmcp_temporal
