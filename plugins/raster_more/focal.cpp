#include "focal.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>

namespace gdalmcp_raster_more {
namespace {

double median_of(std::vector<double>& v) {
    const auto middle = v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2);
    std::nth_element(v.begin(), middle, v.end());
    if (v.size() % 2) return *middle;
    return (*std::max_element(v.begin(), middle) + *middle) / 2;
}

double stdev_of(const std::vector<double>& v) {
    const double mean = std::accumulate(v.begin(), v.end(), 0.0) / static_cast<double>(v.size());
    double squares = 0;
    for (const double x : v) squares += (x - mean) * (x - mean);
    return std::sqrt(squares / static_cast<double>(v.size()));
}

// The value of the longest or shortest run of equal values, and how many values differ.
double by_frequency(focal_statistic s, std::vector<double>& v) {
    std::sort(v.begin(), v.end());
    double found = v.front();
    std::size_t best = 0, kinds = 0;
    for (auto at = v.begin(); at != v.end();) {
        const auto end = std::upper_bound(at, v.end(), *at);
        const auto length = static_cast<std::size_t>(end - at);
        const bool better = s == focal_statistic::minority ? length < best : length > best;
        if (kinds == 0 || better) {
            best = length;
            found = *at;
        }
        ++kinds;
        at = end;
    }
    return s == focal_statistic::variety ? static_cast<double>(kinds) : found;
}

double of_values(focal_statistic s, std::vector<double>& v) {
    switch (s) {
        case focal_statistic::min:
            return *std::min_element(v.begin(), v.end());
        case focal_statistic::max:
            return *std::max_element(v.begin(), v.end());
        case focal_statistic::range: {
            const auto [low, high] = std::minmax_element(v.begin(), v.end());
            return *high - *low;
        }
        case focal_statistic::median:
            return median_of(v);
        case focal_statistic::stdev:
            return stdev_of(v);
        case focal_statistic::count:
            return static_cast<double>(v.size());
        default:
            return by_frequency(s, v);
    }
}

}  // namespace

std::vector<focal_neighbour> rectangle(int rows, int columns) {
    return kernel(std::vector<double>(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns), 1.0), rows,
                  columns);
}

std::vector<focal_neighbour> circle(double radius, double height, double width) {
    std::vector<focal_neighbour> window;
    // Rounding does not exclude a cell exactly on the circle.
    const double limit = radius * (1 + 1e-12);
    const int rows = static_cast<int>(limit / height), columns = static_cast<int>(limit / width);
    for (int r = -rows; r <= rows; ++r)
        for (int c = -columns; c <= columns; ++c)
            if (std::hypot(r * height, c * width) <= limit) window.push_back({r, c, 1});
    return window;
}

std::vector<focal_neighbour> kernel(const std::vector<double>& weights, int rows, int columns) {
    std::vector<focal_neighbour> window;
    for (int r = 0; r < rows; ++r)
        for (int c = 0; c < columns; ++c)
            window.push_back({r - rows / 2, c - columns / 2,
                              weights[static_cast<std::size_t>(r) * static_cast<std::size_t>(columns) +
                                      static_cast<std::size_t>(c)]});
    return window;
}

int reach(const std::vector<focal_neighbour>& window) {
    int farthest = 0;
    for (const auto& n : window) farthest = std::max({farthest, std::abs(n.row), std::abs(n.column)});
    return farthest;
}

void focal(focal_statistic s, const std::vector<focal_neighbour>& window, const focal_cells& cells, std::size_t count,
           double none, double* out, focal_scratch& scratch) {
    auto& values = scratch.values;
    const bool adds = s == focal_statistic::mean || s == focal_statistic::sum || s == focal_statistic::weighted_sum;
    for (std::size_t i = 0; i < count; ++i) {
        out[i] = none;
        if (!cells.valid[i]) continue;
        values.clear();
        double weighted = 0;
        std::size_t held = 0;
        for (const auto& n : window) {
            const auto at = n.row * cells.stride + n.column + static_cast<std::ptrdiff_t>(i);
            if (!cells.valid[at]) continue;
            const double value = cells.first[at] * cells.scale + cells.offset;
            ++held;
            if (adds)
                weighted += n.weight * value;
            else
                values.push_back(value);
        }
        if (!adds)
            out[i] = of_values(s, values);
        else if (s == focal_statistic::mean)
            out[i] = weighted / static_cast<double>(held);
        else if (s == focal_statistic::sum || held == window.size())
            out[i] = weighted;
    }
}

}  // namespace gdalmcp_raster_more
