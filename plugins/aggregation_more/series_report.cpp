#include "series_report.hpp"

#include <algorithm>
#include <cmath>

namespace gdalmcp_aggregation_more {
namespace {

void put_run(gdalmcp::place& at, const value_run& r, const series_times& times) {
    at.put(run_first, times.label(r.first));
    at.put(run_last, times.label(r.last));
    at.put(run_observations, static_cast<std::int64_t>(r.observations()));
    if (!times.days.empty()) at.put(run_days, times.days[r.last] - times.days[r.first]);
}

void put_summary(gdalmcp::place& row, const series_summary& s, const series_times& times) {
    row.put(valid_count, static_cast<std::int64_t>(s.valid));
    if (s.valid == 0) return;
    row.put(first_valid, times.label(s.first));
    row.put(last_valid, times.label(s.last));
    row.put(mean, s.mean);
    row.put(min, s.min);
    row.put(min_date, times.label(s.lowest));
    row.put(max, s.max);
    row.put(max_date, times.label(s.highest));
    if (!s.trend) return;
    row.put(slope, s.trend->slope);
    row.put(p_value, s.trend->p_value);
}

void put_place(gdalmcp::call& call, const reported_series& r, std::size_t place, const std::vector<value_run>& found) {
    auto row = call.add(places);
    row.put(place_id, r.ids[place]);
    put_summary(row, summary_of(r.series.of(place), r.times.years), r.times);
    if (!r.problems[place].empty()) row.put(problem, r.problems[place]);
    if (!r.beyond) return;
    std::size_t beyond = 0;
    for (const auto& one : found) beyond += one.observations();
    row.put(beyond_count, static_cast<std::int64_t>(beyond));
    row.put(run_count, static_cast<std::int64_t>(found.size()));
    if (found.empty()) return;
    auto of_longest = row.at(longest);
    put_run(of_longest, found[longest_of(found, r.times.days)], r.times);
}

void put_row(gdalmcp::call& call, const reported_series& r, std::size_t place, std::size_t observation) {
    const auto at = r.series.at(place, observation);
    auto row = call.add(rows);
    row.put(place_id, r.ids[place]);
    row.put(date, r.times.label(observation));
    row.put(value, r.series.value[at]);
    if (!r.series.data_share.empty()) row.put(data_share, r.series.data_share[at]);
    if (r.masked) row.put(excluded, r.series.excluded[at]);
}

}  // namespace

void put_series(gdalmcp::call& call, const reported_series& r, std::size_t limit) {
    const auto all = r.ids.size(), each = r.series.observations;
    bool runs_left_out = false;
    std::size_t runs_shown = 0;
    call.begin(places);
    if (r.beyond) call.begin(runs);
    for (std::size_t p = 0; p < all && (p < limit || (r.beyond && !runs_left_out)); ++p) {
        const auto found = r.beyond ? runs_of(r.series.of(p), *r.beyond) : std::vector<value_run>{};
        if (p < limit) put_place(call, r, p, found);
        for (const auto& one : found) {
            runs_left_out = runs_shown == limit;
            if (runs_left_out) break;
            auto row = call.add(runs);
            row.put(place_id, r.ids[p]);
            put_run(row, one, r.times);
            ++runs_shown;
        }
    }
    call.begin(rows);
    for (std::size_t i = 0; i < std::min(limit, all * each); ++i) put_row(call, r, i / each, i % each);
    call.put(truncated, all * each > limit || runs_left_out);
}

}  // namespace gdalmcp_aggregation_more
