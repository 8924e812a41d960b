// cell_run.hpp — values side by side, in vector registers: their sum and extremes, and which of them are none.
#pragma once
#include <cstddef>

#include "datasets/compensated_sum.hpp"

namespace gdalmcp_aggregation {

struct run_figures {
    gdalmcp_datasets::compensated_sum sum;  // not finite where a value is not
    double min, max;
};

// REQUIRES: n > 0.
run_figures figures_of(const double* value, std::size_t n);
run_figures figures_of(const float* value, std::size_t n);

// Sets valid to 0 where a value is NaN or from lowest to highest: none is where lowest > highest. The bounds are values
// of the type.
void mark_missing(const double* value, std::size_t n, double lowest, double highest, unsigned char* valid);
void mark_missing(const float* value, std::size_t n, double lowest, double highest, unsigned char* valid);

}  // namespace gdalmcp_aggregation
