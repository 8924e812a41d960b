// percentiles.hpp — what a caller may ask for as percentiles.
#pragma once
#include <gdalmcp/tool.hpp>

#include <algorithm>
#include <vector>

namespace gdalmcp_datasets {

// Throws where all are between 0 and 1: they run from 0 to 100.
inline void check_percentiles(const std::vector<double>& wanted) {
    if (!wanted.empty() && std::all_of(wanted.begin(), wanted.end(), [](double p) { return p > 0 && p < 1; }))
        throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT,
                             "'percentiles' are all between 0 and 1, but they run from 0 to 100",
                             "for the 5th and 95th percentile give [5, 95]"};
}

}  // namespace gdalmcp_datasets
