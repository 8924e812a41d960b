// value_census.hpp — the values of a band, and whether one of them looks like an undeclared nodata value.
#pragma once
#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

namespace gdalmcp_raster {

// An extreme that looks like undeclared nodata.
struct suspect {
    double value = 0;
    double share = 0;  // of the valid cells
    double next = 0;   // the nearest other value
};

class value_census {
public:
    static constexpr std::size_t max_distinct = 256;

    // valid: 0 = nodata. NaN and infinite values count as missing.
    void see(const double* values, const unsigned char* valid, std::size_t n);

    std::int64_t valid() const { return valid_; }
    std::int64_t missing() const { return missing_; }
    double missing_share() const;  // 0 when nothing was seen
    // REQUIRES of these: valid() > 0.
    double min() const { return low_.value; }
    double max() const { return high_.value; }
    std::size_t distinct() const { return distinct_.size(); }  // counted up to max_distinct
    bool more_distinct() const { return more_; }

    // An extreme that is a customary or a possible nodata value, in more than a thousandth of the cells, with a gap to
    // the next value of more than 1 and of at least a tenth of the range of the others. A band with only 0 and 255 has
    // none: those are the values of masks.
    std::vector<suspect> suspects() const;

private:
    struct extreme {
        double value = 0, next = 0;
        std::int64_t cells = 0;
        bool has_next = false;
        // sign: 1 for the lowest, -1 for the greatest.
        void see(double v, double sign);
    };

    extreme low_, high_;
    std::int64_t valid_ = 0, missing_ = 0;
    std::set<double> distinct_;
    bool more_ = false;
};

}  // namespace gdalmcp_raster
