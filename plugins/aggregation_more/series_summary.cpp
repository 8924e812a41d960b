#include "series_summary.hpp"

#include <cmath>
#include <limits>
#include <utility>

#include "datasets/compensated_sum.hpp"

namespace gdalmcp_aggregation_more {

series_summary summary_of(const std::vector<double>& values, const std::vector<double>& times) {
    series_summary s;
    s.mean = s.min = s.max = std::numeric_limits<double>::quiet_NaN();
    gdalmcp_datasets::compensated_sum sum;
    std::vector<double> seen, when;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const double v = values[i];
        if (std::isnan(v)) continue;
        if (s.valid++ == 0) s.first = i;
        s.last = i;
        sum.add(v);
        if (!(s.min <= v)) {
            s.min = v;
            s.lowest = i;
        }
        if (!(s.max >= v)) {
            s.max = v;
            s.highest = i;
        }
        if (times.empty()) continue;
        seen.push_back(v);
        when.push_back(times[i]);
    }
    if (s.valid > 0) s.mean = sum.value() / static_cast<double>(s.valid);
    std::vector<double> pairs;
    if (seen.size() >= gdalmcp_temporal::least_for_trend) s.trend = gdalmcp_temporal::trend(when, seen, pairs);
    return s;
}

std::vector<value_run> runs_of(const std::vector<double>& values, const threshold& t) {
    std::vector<value_run> all;
    bool open = false;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const bool beyond = t.beyond(values[i]);
        if (beyond && open)
            all.back().last = i;
        else if (beyond)
            all.push_back({i, i});
        open = beyond;
    }
    return all;
}

std::size_t longest_of(const std::vector<value_run>& runs, const std::vector<double>& days) {
    const auto length = [&](const value_run& r) {
        return std::pair{days.empty() ? 0 : days[r.last] - days[r.first], r.observations()};
    };
    std::size_t longest = 0;
    for (std::size_t i = 1; i < runs.size(); ++i)
        if (length(runs[i]) > length(runs[longest])) longest = i;
    return longest;
}

}  // namespace gdalmcp_aggregation_more
