// histogram.hpp — numbers counted in intervals. Plain numbers.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace gdalmcp_maps {

// Counts of the values in each interval: from its edge up to, and without, the next; the last with its upper edge.
struct histogram {
    std::vector<double> edges;  // one more than counts
    std::vector<std::int64_t> counts;
};

// `bins` intervals of equal width from the least to the greatest value, as numpy.histogram has them; of equal ratio
// where `logarithmic` (REQUIRES: all > 0). Without `bins`: of a round width, 1, 2 or 5 times a power of ten, close to
// numpy's "auto" (the narrower of Sturges' and the rule of Freedman and Diaconis), at most 50; of `whole` numbers at
// least 1. One value alone lies in the middle of one interval. `sorted`: finite, ascending, at least one.
histogram histogram_of(const std::vector<double>& sorted, std::optional<std::size_t> bins, bool logarithmic,
                       bool whole);

}  // namespace gdalmcp_maps
