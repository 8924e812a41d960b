// cell_run.hpp — cells added in vector registers: their sums and extremes, and which of them have no value.
//
//     run_totals t{false};
//     t.add(values, n);          // whole cells
//     t.add(values, shares, n);  // parts of cells
//     t.sum().value();
#pragma once
#include <array>
#include <cstddef>
#include <limits>

#include "datasets/compensated_sum.hpp"

namespace gdalmcp_aggregation {

// Of cells side by side. Each lane sums every eighth of them, as a compensated_sum does.
class run_totals {
public:
    static constexpr std::size_t lanes = 8;
    struct figures {
        std::array<double, lanes> sum{}, sum_lost{}, squares{}, squares_lost{}, shares{}, shares_lost{}, min, max;
    };

    explicit run_totals(bool squares) : keeps_squares_{squares} {
        of_.min.fill(std::numeric_limits<double>::infinity());
        of_.max.fill(-std::numeric_limits<double>::infinity());
    }

    // false, and nothing added, where a value is not finite or a sum would not be. REQUIRES: n > 0.
    bool add(const double* values, std::size_t n);
    bool add(const float* values, std::size_t n);
    // shares: of the cells that count.
    bool add(const double* values, const double* shares, std::size_t n);

    std::size_t cells() const { return cells_; }
    gdalmcp_datasets::compensated_sum count() const;    // sum of the shares
    gdalmcp_datasets::compensated_sum sum() const;      // of value x share
    gdalmcp_datasets::compensated_sum squares() const;  // of value² x share; REQUIRES: they are kept
    double min() const;                                 // infinity without values
    double max() const;                                 // -infinity

private:
    template <class T>
    bool add_whole(const T* values, std::size_t n);

    bool keeps_squares_;
    figures of_;
    std::size_t cells_ = 0, whole_ = 0;
};

// Sets valid to 0 where a value is NaN or from lowest to highest: none is where lowest > highest. The bounds are values
// of the type.
void mark_missing(const double* value, std::size_t n, double lowest, double highest, unsigned char* valid);
void mark_missing(const float* value, std::size_t n, double lowest, double highest, unsigned char* valid);

}  // namespace gdalmcp_aggregation
