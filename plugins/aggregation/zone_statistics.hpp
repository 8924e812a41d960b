// zone_statistics.hpp — the statistics of one band in one zone, each cell weighed by the share of it the zone covers.
//
//     zone_statistics s{{statistic::mean, statistic::median}};
//     s.add(3.0, 0.25);  s.add(5.0, 1.0);
//     s.value_of(statistic::mean) == 4.6;
//
// Names and meanings are those of exactextract. Cells may be added in any number of pieces; the result depends on
// their order only by rounding. Sums are compensated (Neumaier 1974), so whole numbers wholly covered add up exactly.
#pragma once
#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace gdalmcp_aggregation {

enum class statistic {
    count,  // sum of the covered shares of the cells with a value
    sum,    // sum of value x share
    mean,   // sum / count
    min,    // lowest value of any cell with a share
    max,
    stdev,                     // population standard deviation, shares as weights
    coefficient_of_variation,  // stdev / mean
    median,                    // the smallest value whose cumulative share reaches half of count
    majority,                  // the value with the greatest share; the smallest of equals
    minority,                  // the value with the smallest share; the smallest of equals
    variety,                   // how many different values
    weighted_sum,              // sum of value x share x weight
    weighted_mean              // weighted_sum / sum of share x weight
};

inline constexpr std::array<std::string_view, 13> statistic_names{
    "count",  "sum",      "mean",     "min",     "max",          "stdev",        "coefficient_of_variation",
    "median", "majority", "minority", "variety", "weighted_sum", "weighted_mean"};

std::string_view name_of(statistic s);

// Accepts the names above and the aliases mode, std and cv.
std::optional<statistic> statistic_named(std::string_view name);

bool needs_values(statistic s);  // keeps every distinct value of the zone in memory
bool needs_weights(statistic s);

class compensated_sum {
public:
    void add(double term);
    double value() const { return sum_ + lost_; }

private:
    double sum_ = 0, lost_ = 0;
};

class zone_statistics {
public:
    explicit zone_statistics(const std::vector<statistic>& wanted);

    // value, weight: finite. share: 0 < share <= 1; a share of 0 changes nothing.
    void add(double value, double share);
    void add_weighted(double value, double share, double weight);

    // Cells of the zone without a finite value, counted by share and apart.
    void add_nodata(double share) { nodata_.add(share); }
    void add_nan(double share) { nan_.add(share); }
    void add_infinite(double share) { infinite_.add(share); }
    void add_unweighted() { ++unweighted_; }  // a value without a weight: left out of weighted statistics

    // Nothing where the statistic is undefined: no cell has a value, or it divides by zero.
    std::optional<double> value_of(statistic s) const;

    std::size_t cells() const { return cells_; }  // with a value and a share above 0
    double count() const { return count_.value(); }
    double nodata() const { return nodata_.value(); }
    double nan() const { return nan_.value(); }
    double infinite() const { return infinite_.value(); }
    std::size_t unweighted() const { return unweighted_; }

private:
    struct weighed_value {
        double value, share;
    };

    std::vector<weighed_value> distinct_values() const;
    void merge_values();
    double variance() const;

    bool keep_values_;
    std::size_t cells_ = 0, unweighted_ = 0;
    compensated_sum count_, sum_, weighted_sum_, weights_, nodata_, nan_, infinite_;
    double min_ = 0, max_ = 0;
    double running_count_ = 0, running_mean_ = 0, squares_ = 0;  // West 1979, for the variance
    std::vector<weighed_value> values_;
    std::size_t merge_at_;
};

}  // namespace gdalmcp_aggregation
