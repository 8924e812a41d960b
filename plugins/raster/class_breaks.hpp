// class_breaks.hpp — where to cut a range of values into classes, from a histogram of equal bins, over plain arrays.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace gdalmcp_raster {

// Cells in equal bins from lowest to highest; the last bin holds highest.
struct value_histogram {
    double lowest = 0, highest = 0;
    std::vector<std::int64_t> counts;
};

// All return classes - 1 inner breaks in ascending order; a value equal to a break belongs to the class above it.
// REQUIRES: lowest < highest, at least as many bins with cells as classes.

// Classes of the same width.
std::vector<double> equal_intervals(double lowest, double highest, std::size_t classes);

// Between two classes (Otsu 1979) or more (Liao, Chen and Chung 2001): the breaks that make the variance between
// classes greatest, at the edges of bins. The same breaks make the squared deviations from the classes' means least,
// which is what k-means looks for; in one dimension the optimum is found by dynamic programming (Fisher 1958), so
// there is neither a seed nor a starting point.
std::vector<double> least_variance(const value_histogram& h, std::size_t classes);

}  // namespace gdalmcp_raster
