// cell_run.hpp — sum and extremes of values side by side, in vector registers.
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

}  // namespace gdalmcp_aggregation
