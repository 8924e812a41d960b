#include "cell_stack.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "datasets/wide_registers.hpp"

namespace gdalmcp_temporal {
namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

// Afterwards no value of `low` is above that of the same cell in `high`.
inline void put_in_order(double* low, double* high, std::size_t cells) {
    for (std::size_t k = 0; k < cells; ++k) {
        const double a = low[k], b = high[k];
        low[k] = b < a ? b : a;
        high[k] = b < a ? a : b;
    }
}

// Sorts the values of every cell by the same comparisons of whole rows: merge exchange (Batcher; Knuth, The Art of
// Computer Programming 3, algorithm 5.2.2M).
GDALMCP_WIDE_REGISTERS
void sort_rows(double* rows, std::size_t observations, std::size_t cells) {
    std::size_t highest = 1;
    while (2 * highest < observations) highest *= 2;
    for (std::size_t p = highest; observations > 1 && p > 0; p /= 2) {
        std::size_t q = highest, r = 0, d = p;
        for (;;) {
            for (std::size_t i = 0; i + d < observations; ++i)
                if ((i & p) == r) put_in_order(rows + i * cells, rows + (i + d) * cells, cells);
            if (q == p) break;
            d = q - p;
            q /= 2;
            r = p;
        }
    }
}

GDALMCP_WIDE_REGISTERS
void keep_extremes(const cell_stack& s, bool high, double* out) {
    const std::size_t cells = s.cells();
    std::fill_n(out, cells, none);
    for (std::size_t o = 0; o < s.observations(); ++o) {
        const double* v = s.row(o);
        // A comparison with NaN is false: the first value replaces it, and it replaces none.
        if (high)
            for (std::size_t k = 0; k < cells; ++k) out[k] = v[k] <= out[k] || v[k] != v[k] ? out[k] : v[k];
        else
            for (std::size_t k = 0; k < cells; ++k) out[k] = v[k] >= out[k] || v[k] != v[k] ? out[k] : v[k];
    }
}

template <class T>
inline void fill_from(const T* from, const unsigned char* valid, std::size_t cells, double scale, double offset,
                      double* to) {
    for (std::size_t k = 0; k < cells; ++k) to[k] = static_cast<double>(from[k]) * scale + offset;
    if (!valid) return;
    for (std::size_t k = 0; k < cells; ++k) to[k] = valid[k] ? to[k] : none;
}

}  // namespace

GDALMCP_WIDE_REGISTERS
void fill(const void* from, const unsigned char* valid, std::size_t cells, const stored_form& form, double* to) {
    if (form.single)
        fill_from(static_cast<const float*>(from), valid, cells, form.scale, form.offset, to);
    else
        fill_from(static_cast<const double*>(from), valid, cells, form.scale, form.offset, to);
}

void largest(const cell_stack& s, double* out) { keep_extremes(s, true, out); }
void smallest(const cell_stack& s, double* out) { keep_extremes(s, false, out); }

GDALMCP_WIDE_REGISTERS
void mean(const cell_stack& s, double* out) {
    const std::size_t cells = s.cells();
    std::vector<double> seen(cells, 0);
    std::fill_n(out, cells, 0);
    for (std::size_t o = 0; o < s.observations(); ++o) {
        const double* v = s.row(o);
        for (std::size_t k = 0; k < cells; ++k) {
            const bool there = v[k] == v[k];
            out[k] += there ? v[k] : 0;
            seen[k] += there ? 1 : 0;
        }
    }
    for (std::size_t k = 0; k < cells; ++k) out[k] /= seen[k];  // 0 / 0 is NaN
}

GDALMCP_WIDE_REGISTERS
void last(const cell_stack& s, double* out) {
    std::fill_n(out, s.cells(), none);
    for (std::size_t o = 0; o < s.observations(); ++o) {
        const double* v = s.row(o);
        for (std::size_t k = 0; k < s.cells(); ++k) out[k] = v[k] == v[k] ? v[k] : out[k];
    }
}

GDALMCP_WIDE_REGISTERS
void count(const cell_stack& s, std::uint32_t* out) {
    std::fill_n(out, s.cells(), 0);
    for (std::size_t o = 0; o < s.observations(); ++o) {
        const double* v = s.row(o);
        for (std::size_t k = 0; k < s.cells(); ++k) out[k] += v[k] == v[k] ? 1 : 0;
    }
}

void percentile(cell_stack& s, double percent, double* out) {
    std::vector<std::uint32_t> seen(s.cells());
    count(s, seen.data());
    // Missing ones go to the end.
    for (std::size_t o = 0; o < s.observations(); ++o)
        for (std::size_t k = 0; k < s.cells(); ++k)
            if (std::isnan(s.row(o)[k])) s.row(o)[k] = infinity;
    sort_rows(s.row(0), s.observations(), s.cells());
    for (std::size_t k = 0; k < s.cells(); ++k) {
        if (seen[k] == 0) {
            out[k] = none;
            continue;
        }
        const double place = (seen[k] - 1) * percent / 100, below = std::floor(place);
        const auto rank = static_cast<std::size_t>(below);
        const double low = s.row(rank)[k];
        out[k] = place == below ? low : low + (s.row(rank + 1)[k] - low) * (place - below);
    }
}

void keep_whole(std::vector<cell_stack>& bands) {
    for (std::size_t o = 0; bands.size() > 1 && o < bands.front().observations(); ++o)
        for (std::size_t k = 0; k < bands.front().cells(); ++k) {
            bool whole = true;
            for (const auto& b : bands) whole = whole && !std::isnan(b.row(o)[k]);
            if (whole) continue;
            for (auto& b : bands) b.row(o)[k] = none;
        }
}

void medoid(const std::vector<cell_stack>& bands, std::vector<std::uint32_t>& which) {
    const std::size_t n = bands.front().observations(), cells = bands.front().cells();
    which.assign(cells, static_cast<std::uint32_t>(n));
    std::vector<double> distances(n);
    std::vector<std::uint32_t> there;
    for (std::size_t k = 0; k < cells; ++k) {
        there.clear();
        for (std::size_t o = 0; o < n; ++o)
            if (!std::isnan(bands.front().row(o)[k])) there.push_back(static_cast<std::uint32_t>(o));
        std::fill(distances.begin(), distances.end(), 0);
        for (std::size_t i = 0; i < there.size(); ++i)
            for (std::size_t j = i + 1; j < there.size(); ++j) {
                double square = 0;
                for (const auto& b : bands) {
                    const double difference = b.row(there[i])[k] - b.row(there[j])[k];
                    square += difference * difference;
                }
                const double distance = std::sqrt(square);
                distances[there[i]] += distance;
                distances[there[j]] += distance;
            }
        for (const auto o : there)
            if (which[k] == n || distances[o] < distances[which[k]]) which[k] = o;
    }
}

}  // namespace gdalmcp_temporal
