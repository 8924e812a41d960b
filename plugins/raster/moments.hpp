// moments.hpp — sum, spread and range of cells, chunk by chunk; the order of every addition is fixed.
#pragma once
#include <array>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <type_traits>

namespace gdalmcp_raster {

__extension__ typedef __int128 wide;  // NOLINT: __extension__ has no using form

// Sum, and squared deviations from the mean.
struct moments {
    long double n = 0, sum = 0, deviations = 0;
    wide whole_sum = 0;

    void merge(const moments& o) {
        if (o.n == 0) return;
        if (n > 0) {
            const long double apart = o.sum / o.n - sum / n;
            deviations += o.deviations + apart * apart * (n / (n + o.n)) * o.n;
        } else {
            deviations = o.deviations;
        }
        n += o.n;
        sum += o.sum;
        whole_sum += o.whole_sum;
    }
};

// Eight sums side by side, so that the compiler may use vector registers without changing the order of additions.
template <class T, class F>
double lane_sum(const T* v, std::size_t n, F&& term) {
    std::array<double, 8> lane{};
    std::size_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (std::size_t k = 0; k < 8; ++k) lane[k] += term(static_cast<double>(v[i + k]));
    double rest = 0;
    for (; i < n; ++i) rest += term(static_cast<double>(v[i]));
    return ((lane[0] + lane[4]) + (lane[1] + lane[5])) + ((lane[2] + lane[6]) + (lane[3] + lane[7])) + rest;
}

// The sum is not finite where a value is not, or where it leaves the range of double.
template <class T>
double sum_of(const T* v, std::size_t n) {
    return lane_sum(v, n, [](double x) { return x; });
}

// sum: sum_of(v, n).
template <class T>
moments moments_of(const T* v, std::size_t n, double sum) {
    moments m;
    m.n = static_cast<long double>(n);
    const double mean = sum / static_cast<double>(n);
    const double deviations = lane_sum(v, n, [mean](double x) { return (x - mean) * (x - mean); });
    m.sum = sum;
    m.deviations = deviations;
    if constexpr (std::is_integral_v<T>) {
        for (std::size_t i = 0; i < n; ++i) m.whole_sum += v[i];
    } else if (!std::isfinite(sum) || !std::isfinite(deviations)) {
        // Values near the end of the range of double.
        m.sum = m.deviations = 0;
        for (std::size_t i = 0; i < n; ++i) m.sum += v[i];
        for (std::size_t i = 0; i < n; ++i) m.deviations += (v[i] - m.sum / m.n) * (v[i] - m.sum / m.n);
    }
    return m;
}

template <class T>
std::array<T, 2> range_of(const T* v, std::size_t n) {
    typedef T lanes __attribute__((vector_size(16)));  // NOLINT: an attribute that using does not take
    constexpr std::size_t width = sizeof(lanes) / sizeof(T);
    T low = v[0], high = v[0];
    std::size_t i = 0;
    if (n >= width) {
        lanes lows, highs;
        std::memcpy(&lows, v, sizeof lows);
        highs = lows;
        for (i = width; i + width <= n; i += width) {
            lanes x;
            std::memcpy(&x, v + i, sizeof x);
            lows = x < lows ? x : lows;
            highs = x > highs ? x : highs;
        }
        for (std::size_t k = 0; k < width; ++k) {
            low = lows[k] < low ? lows[k] : low;
            high = highs[k] > high ? highs[k] : high;
        }
    }
    for (; i < n; ++i) {
        low = v[i] < low ? v[i] : low;
        high = v[i] > high ? v[i] : high;
    }
    return {low, high};
}

}  // namespace gdalmcp_raster
