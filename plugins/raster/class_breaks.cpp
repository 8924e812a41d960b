#include "class_breaks.hpp"

#include <limits>

namespace gdalmcp_raster {

std::vector<double> equal_intervals(double lowest, double highest, std::size_t classes) {
    std::vector<double> breaks;
    for (std::size_t k = 1; k < classes; ++k)
        breaks.push_back(lowest + (highest - lowest) * static_cast<double>(k) / static_cast<double>(classes));
    return breaks;
}

std::vector<double> least_variance(const value_histogram& h, std::size_t classes) {
    // Bins with cells, and running sums over them.
    std::vector<std::size_t> bins;
    std::vector<long double> n{0}, sum{0}, squares{0};
    const double width = (h.highest - h.lowest) / static_cast<double>(h.counts.size());
    for (std::size_t i = 0; i < h.counts.size(); ++i) {
        if (h.counts[i] == 0) continue;
        const auto count = static_cast<long double>(h.counts[i]);
        const long double middle = static_cast<long double>(i) + 0.5L;
        bins.push_back(i);
        n.push_back(n.back() + count);
        sum.push_back(sum.back() + count * middle);
        squares.push_back(squares.back() + count * middle * middle);
    }
    // Squared deviations from their mean of the bins [from, to).
    const auto spread = [&](std::size_t from, std::size_t to) {
        const long double s = sum[to] - sum[from];
        return squares[to] - squares[from] - s * s / (n[to] - n[from]);
    };
    const std::size_t count = bins.size();
    // least[i]: of the first i bins in as many classes as the round; start[k][i]: where the last of them begins.
    std::vector<long double> least(count + 1, 0);
    std::vector<std::vector<std::size_t>> start(classes, std::vector<std::size_t>(count + 1, 0));
    for (std::size_t i = 1; i <= count; ++i) least[i] = spread(0, i);
    for (std::size_t k = 1; k < classes; ++k) {
        std::vector<long double> next(count + 1, std::numeric_limits<long double>::infinity());
        for (std::size_t i = k + 1; i <= count; ++i)
            for (std::size_t j = k; j < i; ++j)
                if (const long double with = least[j] + spread(j, i); with < next[i]) {
                    next[i] = with;
                    start[k][i] = j;
                }
        least = std::move(next);
    }
    std::vector<double> breaks(classes - 1);
    for (std::size_t k = classes - 1, end = count; k > 0; --k) {
        end = start[k][end];
        breaks[k - 1] = h.lowest + width * static_cast<double>(bins[end]);
    }
    return breaks;
}

}  // namespace gdalmcp_raster
