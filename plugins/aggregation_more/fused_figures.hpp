// fused_figures.hpp — what the cells of a raster hold together: total, mean, spread and classes, of weighted cells.
#pragma once
#include <cstdint>
#include <map>

#include "datasets/compensated_sum.hpp"

namespace gdalmcp_aggregation_more {

class fused_figures {
public:
    // classes: whether to keep the values apart, at most 65,536 of them.
    explicit fused_figures(bool classes) : classes_{classes} {}

    // share: of the cell that counts, above 0; area: of that part, in any one unit.
    void add(double value, double share, double area);
    void add_missing() { ++missing_; }

    std::int64_t valid() const { return valid_; }
    double missing_share() const;  // of all cells added
    double total() const { return total_.value(); }
    double mean() const;  // weighted by share, as is:
    double std() const;   // population form
    std::int64_t class_count() const { return static_cast<std::int64_t>(areas_.size()); }
    // Share of the area here whose class does not occur in `other`.
    double share_lost_in(const fused_figures& other) const;
    bool too_many_classes() const { return too_many_; }

private:
    bool classes_, too_many_ = false;
    std::int64_t valid_ = 0, missing_ = 0;
    double shift_ = 0;  // the first value: squares of values far from 0 would lose their digits
    gdalmcp_datasets::compensated_sum total_, weight_, sum_, squares_;
    std::map<double, double> areas_;
};

// (after - before) / |before|; 0 where both are 0, infinite where only `before` is.
double relative_difference(double before, double after);

}  // namespace gdalmcp_aggregation_more
