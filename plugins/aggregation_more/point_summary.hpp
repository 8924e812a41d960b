// point_summary.hpp — statistics of the values of the points in a cell.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "datasets/compensated_sum.hpp"

namespace gdalmcp_aggregation_more {

class point_summary {
public:
    // keep_values: a median is wanted.
    explicit point_summary(bool keep_values = false) : keep_{keep_values} {}

    // nullopt: the point counts, but has no value.
    void add(std::optional<double> value);

    std::int64_t count() const { return count_; }
    std::int64_t values() const { return values_; }  // points with a value
    // Of the values; NaN without any, the sum as well.
    double sum() const;
    double mean() const;
    double min() const;
    double max() const;
    double median() const;  // of an even number the mean of the two in the middle. REQUIRES: keep_values

private:
    bool keep_;
    std::int64_t count_ = 0, values_ = 0;
    gdalmcp_datasets::compensated_sum sum_;
    double min_ = 0, max_ = 0;
    std::vector<double> kept_;
};

}  // namespace gdalmcp_aggregation_more
