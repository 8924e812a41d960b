// series_report.hpp — the structured result of aggregate_series: its fields, and the first places, runs and rows.
#pragma once
#include <gdalmcp/tool.hpp>

#include <string>
#include <vector>

#include "place_series.hpp"
#include "series_summary.hpp"

namespace gdalmcp_aggregation_more {

inline const gdalmcp::field<std::int64_t> observation_count{"observation_count", "Used"};
inline const auto first_date = gdalmcp::field<std::string>{"first_date", "Absent: unknown"}.optional();
inline const auto last_date = gdalmcp::field<std::string>{"last_date", "The same"}.optional();
inline const gdalmcp::field<std::int64_t> place_count{"place_count", "All"};
inline const gdalmcp::field<std::int64_t> outside_count{"outside_count", "Of these, outside the rasters"};
inline const gdalmcp::field<std::int64_t> empty_count{"empty_count", "Without any value, those outside included"};
inline const gdalmcp::field<std::int64_t> matched_total{"matched_total",
                                                        "Rows of the table: places times observations"};
inline const gdalmcp::field<bool> truncated{"truncated", "Whether a list omits some"};

// A date of an observation; where it is unknown #n, the n-th in the order given.
inline const gdalmcp::field<std::string> place_id{"place", "Id"};
inline const gdalmcp::field<std::string> date{"date", "#n: the n-th of unknown dates"};
inline const gdalmcp::field<std::int64_t> valid_count{"valid_count", "Observations with a value"};
inline const auto first_valid = gdalmcp::field<std::string>{"first_date", "With a value"}.optional();
inline const auto last_valid = gdalmcp::field<std::string>{"last_date", "With a value"}.optional();
inline const auto mean = gdalmcp::field<double>{"mean", "Of the values"}.optional();
inline const auto min = gdalmcp::field<double>{"min", "Lowest"}.optional();
inline const auto min_date = gdalmcp::field<std::string>{"min_date", "The first"}.optional();
inline const auto max = gdalmcp::field<double>{"max", "Highest"}.optional();
inline const auto max_date = gdalmcp::field<std::string>{"max_date", "The first"}.optional();
inline const auto slope =
    gdalmcp::field<double>{"slope_per_year", "Theil-Sen, of 365.25 days; of 4 values or more"}.optional();
inline const auto p_value = gdalmcp::field<double>{"p", "Mann-Kendall; rough below 10 values"}.optional();
inline const auto beyond_count = gdalmcp::field<std::int64_t>{"beyond_count", "Values beyond the threshold"}.optional();
inline const auto run_count = gdalmcp::field<std::int64_t>{"run_count", "Runs of these"}.optional();
inline const gdalmcp::field<std::string> run_first{"first_date", "Of its observations"};
inline const gdalmcp::field<std::string> run_last{"last_date", "The same"};
inline const gdalmcp::field<std::int64_t> run_observations{"observations", "Consecutive, each with a value beyond"};
inline const auto run_days =
    gdalmcp::field<double>{"days", "last_date - first_date; 0 of one observation; absent if unknown"}.optional();
inline const auto longest = gdalmcp::record{
    "longest",
    "Run of the most days, then observations",
    {run_first, run_last, run_observations,
     run_days}}.optional();
inline const auto problem = gdalmcp::field<std::string>{"problem", "Why it has no values"}.optional();
inline const gdalmcp::table places{"places",
                                   "The first; slope_per_year (Theil-Sen, of 365.25 days) and p (Mann-Kendall, rough "
                                   "below 10 values) of 4 dated values or more",
                                   {place_id, valid_count, first_valid, last_valid, mean, min, min_date, max, max_date,
                                    slope, p_value, beyond_count, run_count, longest, problem}};
inline const auto runs = gdalmcp::table{
    "runs",
    "The first; a date without a value, or with another, ends a run, missing rasters do not",
    {place_id, run_first, run_last, run_observations,
     run_days}}.optional();
inline const auto value = gdalmcp::field<double>{"value", "Absent: none"}.optional();
inline const auto data_share =
    gdalmcp::field<double>{"data_share", "Share of the polygon on cells with a value"}.optional();
inline const auto excluded = gdalmcp::field<double>{"excluded", "Share that 'mask' took out"}.optional();
inline const gdalmcp::table rows{"rows", "The first, by place and time", {place_id, date, value, data_share, excluded}};

// When the observations are of.
struct series_times {
    std::vector<std::string> dates;   // "": unknown
    std::vector<double> days, years;  // for lengths and for trends; empty: not known well enough

    std::string label(std::size_t observation) const {
        return dates[observation].empty() ? "#" + std::to_string(observation + 1) : dates[observation];
    }
};

struct reported_series {
    const place_series& series;
    const series_times& times;
    std::vector<std::string> ids, problems;  // of the places
    std::optional<threshold> beyond;
    bool masked;  // the shares that a mask took out are reported
};

// `places`, `runs` and `rows`, `limit` of each, and `truncated`.
void put_series(gdalmcp::call& call, const reported_series& r, std::size_t limit);

}  // namespace gdalmcp_aggregation_more
