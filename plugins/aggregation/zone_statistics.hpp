// zone_statistics.hpp — the statistics of one band in one zone, each cell weighed by the share of it the zone covers.
//
//     zone_statistics s{{statistic::mean, statistic::median}};
//     s.add(3.0, 0.25);  s.add(5.0, 1.0);
//     s.value_of(statistic::mean) == 4.6;
//
// Names and meanings are those of exactextract. Cells may be added in any number of pieces and in any order: sums are
// compensated, so whole numbers wholly covered add up exactly.
#pragma once
#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "cell_run.hpp"
#include "cell_values.hpp"
#include "value_shares.hpp"

namespace gdalmcp_aggregation {

enum class statistic {
    count,  // sum of the covered shares of the cells with a value
    sum,    // sum of value x share
    mean,   // sum / count
    min,    // lowest value of any cell with a share
    max,
    stdev,                     // population standard deviation, shares as weights
    coefficient_of_variation,  // stdev / mean
    median,                    // quantile_of(0.5)
    majority,                  // the value with the greatest share; the smallest of equals
    minority,                  // the value with the smallest share; the smallest of equals
    variety,                   // how many different values
    frac,                      // a list, see classes(): the share of each value
    weighted_sum,              // sum of value x share x weight
    weighted_mean,             // weighted_sum / sum of share x weight
    variance,                  // stdev squared
    weighted_stdev,            // population standard deviation, share x weight as weights
    quantile,                  // a list, see quantile_of()
    min_location,              // see lowest()
    max_location               // see highest()
};

inline constexpr std::array<std::string_view, 19> statistic_names{"count",
                                                                  "sum",
                                                                  "mean",
                                                                  "min",
                                                                  "max",
                                                                  "stdev",
                                                                  "coefficient_of_variation",
                                                                  "median",
                                                                  "majority",
                                                                  "minority",
                                                                  "variety",
                                                                  "frac",
                                                                  "weighted_sum",
                                                                  "weighted_mean",
                                                                  "variance",
                                                                  "weighted_stdev",
                                                                  "quantile",
                                                                  "min_location",
                                                                  "max_location"};

std::string_view name_of(statistic s);

// Accepts the names above and the aliases mode, std and cv.
std::optional<statistic> statistic_named(std::string_view name);

bool needs_values(statistic s);  // keeps every distinct value of the zone in memory
bool needs_weights(statistic s);
bool needs_places(statistic s);  // where the cells lie, see zone_statistics::locate()
bool is_number(statistic s);     // one number: neither a list nor a place

struct cell_place {
    std::size_t row, column;
};

class zone_statistics {
public:
    explicit zone_statistics(const std::vector<statistic>& wanted);

    // value, weight: finite. share: 0 < share <= 1; a share of 0 changes nothing. cell_area: m², for frac; NaN
    // counts as 0.
    void add(double value, double share, double cell_area = 0);
    void add_weighted(double value, double share, double weight, double cell_area = 0);

    // n whole cells at once, as add(value, 1) of each; false, and nothing added, where a value is not finite. REQUIRES:
    // takes_runs().
    template <class T>
    bool add_run(const T* values, std::size_t n) {
        if (!runs_.add(values, n)) return false;
        if (keep_values_) values_.add_whole(values, n);
        return true;
    }
    // The same of cells with shares above 0.
    bool add_run(const double* values, const double* shares, std::size_t n);
    bool takes_runs() const { return !keep_classes_; }

    // Cells of the zone without a finite value, counted separately, by share.
    void add_nodata(double share) { nodata_.add(share); }
    void add_nan(double share) { nan_.add(share); }
    void add_infinite(double share) { infinite_.add(share); }
    void add_unweighted() { ++unweighted_; }  // a value without a weight: left out of weighted statistics

    // The cell of a value that was added with a share above 0. REQUIRES: a place is wanted.
    void locate(double value, cell_place at);

    // nullopt if the statistic is undefined: no cell has a value, or it divides by zero. REQUIRES: one of those wanted,
    // and a number.
    std::optional<double> value_of(statistic s);
    // Of n cells in the order of their values, then of their covered shares w, cell i (from 0) stands at
    // i w + (n - 1) (sum of the shares before it); the quantile q stands at q (n - 1) (sum of all shares), linear
    // between cells. 0.5 is the median. This is numpy's default where all shares are 1, and exactextract's where no
    // value occurs twice: https://stats.stackexchange.com/a/13223. nullopt if no cell has a value. REQUIRES: median or
    // quantile is wanted.
    std::optional<double> quantile_of(double share);
    // Sorts the values that were added, which the above do, too.
    void sort() { values_.sort(); }
    // The cell with the lowest or highest value; of equal ones the uppermost, then the leftmost.
    std::optional<cell_place> lowest() const { return lowest_.at; }
    std::optional<cell_place> highest() const { return highest_.at; }
    // Of the cells added; 0 without any.
    double least() const { return cells() > 0 ? std::min(min_, runs_.min()) : 0; }
    double greatest() const { return cells() > 0 ? std::max(max_, runs_.max()) : 0; }
    std::vector<value_share> classes() const { return classes_.sorted(); }  // by value; REQUIRES: frac is wanted

    std::size_t cells() const { return cells_ + runs_.cells(); }  // with a value and a share above 0
    double count() const { return counted().value(); }
    double nodata() const { return nodata_.value(); }
    double nan() const { return nan_.value(); }
    double infinite() const { return infinite_.value(); }
    std::size_t unweighted() const { return unweighted_; }
    std::size_t unplaced() const { return unplaced_; }                  // only for frac: cells without an area
    std::size_t negative_weights() const { return negative_weights_; }  // cells added with a weight below zero
    double least_weight() const { return least_weight_; }               // of these; 0 if there are none
    std::size_t distinct_classes() const { return classes_.size(); }    // REQUIRES: frac is wanted
    // Different values of whole cells, no more than there are; all after sort(). REQUIRES: needs_values of one but
    // frac.
    std::size_t distinct_values() const { return values_.counted(); }

private:
    struct located {
        double value = 0;
        std::optional<cell_place> at;
        bool yields_to(bool beyond, double other, cell_place place) const;
    };

    compensated_sum counted() const;
    compensated_sum summed() const;
    compensated_sum squared() const;

    bool keep_classes_, keep_values_, keep_squares_, keep_weighted_squares_;
    run_totals runs_;
    // Of the other cells.
    std::size_t cells_ = 0, unweighted_ = 0, unplaced_ = 0, negative_weights_ = 0;
    compensated_sum count_, sum_, squares_, weighted_sum_, weighted_squares_, weights_, nodata_, nan_, infinite_;
    double min_ = std::numeric_limits<double>::infinity(), max_ = -min_, least_weight_ = 0;
    located lowest_, highest_;
    value_shares classes_;
    cell_values values_;
};

}  // namespace gdalmcp_aggregation
