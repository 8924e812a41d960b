// class_breaks.hpp — where classes of numbers end, by several methods. Plain numbers: `sorted` is finite, ascending,
// and not empty; breaks ascend, each above the smallest value and at most the largest. A value equal to a break belongs
// to the class above it.
#pragma once
#include <cstddef>
#include <vector>

namespace gdalmcp_maps {

// About as many values in each of n classes; fewer classes where values repeat.
std::vector<double> quantile_breaks(const std::vector<double>& sorted, std::size_t n);

// n classes of equal width from the smallest to the largest; fewer where all values are the same.
std::vector<double> equal_breaks(const std::vector<double>& sorted, std::size_t n);

// The n classes with the least sum of squared deviations from their means (Fisher 1958; Jenks 1977), which is exact
// for any number of values: the best start of a class grows with its end, so that a search by halves finds it in
// n m log m steps for m different values. As many classes as different values where those are fewer.
std::vector<double> natural_breaks(const std::vector<double>& sorted, std::size_t n);

struct deviation_breaks {
    std::vector<double> breaks;  // those of mean ± 0.5, 1.5 and 2.5 standard deviations between the values
    std::size_t first = 0;       // how many of the six lie below the smallest value, or at it
    double mean, deviation;      // population form
};
deviation_breaks standard_deviation_breaks(const std::vector<double>& sorted);

}  // namespace gdalmcp_maps
