#include "cell_run.hpp"

#include <algorithm>
#include <cstring>

#include "datasets/wide_registers.hpp"

namespace gdalmcp_aggregation {
namespace {

using gdalmcp_datasets::compensated_sum;
using figures = run_totals::figures;
using lane_array = std::array<double, run_totals::lanes>;

constexpr auto lanes = run_totals::lanes;
constexpr std::size_t width = 4;  // of a register
// Of loops over the lanes GCC does not keep all in registers.
using values4 = double __attribute__((vector_size(sizeof(double) * width)));

template <class T>
inline void load(const T* from, values4& to) {
    typedef T stored __attribute__((vector_size(sizeof(T) * width)));
    stored v;
    std::memcpy(&v, from, sizeof(v));
    to = __builtin_convertvector(v, values4);
}

// See compensated_sum, of which this is four.
struct sums4 {
    values4 sum, lost;

    void add(const values4& term) {
        const values4 total = sum + term, part = total - sum;
        lost += (sum - (total - part)) + (term - part);
        sum = total;
    }
    void add_product(const values4& a, const values4& b) {
        values4 product, error;
        multiply(a, b, product, error);
        add(product);
        add(error);
    }
    void add_product(const values4& a, const values4& b, const values4& c) {
        values4 product, error;
        multiply(a, b, product, error);
        add_product(product, c);
        add(error * c);
    }

private:
    static void halve(const values4& v, values4& high, values4& low) {
        const values4 scaled = 134217729.0 * v;  // 2^27 + 1
        high = scaled - (scaled - v);
        low = v - high;
    }
    static void multiply(const values4& a, const values4& b, values4& product, values4& error) {
        values4 a_high, a_low, b_high, b_low;
        halve(a, a_high, a_low);
        halve(b, b_high, b_low);
        product = a * b;
        error = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low;
    }
};

// Four lanes of the figures.
template <bool with_squares>
struct lanes4 {
    sums4 sum, squares, shares;
    values4 min, max;

    lanes4(const figures& from, std::size_t at) {
        load(&from.sum[at], sum.sum);
        load(&from.sum_lost[at], sum.lost);
        load(&from.squares[at], squares.sum);
        load(&from.squares_lost[at], squares.lost);
        load(&from.shares[at], shares.sum);
        load(&from.shares_lost[at], shares.lost);
        load(&from.min[at], min);
        load(&from.max[at], max);
    }
    void store(figures& to, std::size_t at) const {
        const auto put = [&](const values4& from, lane_array& into) { std::memcpy(&into[at], &from, sizeof(from)); };
        put(sum.sum, to.sum);
        put(sum.lost, to.sum_lost);
        put(squares.sum, to.squares);
        put(squares.lost, to.squares_lost);
        put(shares.sum, to.shares);
        put(shares.lost, to.shares_lost);
        put(min, to.min);
        put(max, to.max);
    }
    template <class T>
    void add(const T* from) {
        values4 value;
        load(from, value);
        sum.add(value);
        if constexpr (with_squares && sizeof(T) == sizeof(float)) squares.add(value * value);  // exact
        if constexpr (with_squares && sizeof(T) == sizeof(double)) squares.add_product(value, value);
        reach(value);
    }
    template <class T>
    void add(const T* from, const double* parts) {
        values4 value, share;
        load(from, value);
        load(parts, share);
        shares.add(share);
        sum.add_product(value, share);
        if constexpr (with_squares) squares.add_product(value, share, value);
        reach(value);
    }
    bool is_finite() const {
        values4 nothing = sum.sum * 0;
        if constexpr (with_squares) nothing += squares.sum * 0;
        return nothing[0] + nothing[1] + nothing[2] + nothing[3] == 0;
    }

private:
    void reach(const values4& value) {
        min = value < min ? value : min;
        max = value > max ? value : max;
    }
};

// The cells beyond the last eight: with the first value in the lanes left over, and no share there.
template <class T>
struct last_cells {
    T value[lanes];
    double share[lanes]{};

    last_cells(const T* from, const double* shares, std::size_t n) {
        for (std::size_t k = 0; k < lanes; ++k) value[k] = from[k < n ? k : 0];
        for (std::size_t k = 0; k < n; ++k) share[k] = shares ? shares[k] : 1;
    }
};

// Whether all sums are finite afterwards; else `to` is as before.
template <bool with_squares, class T>
inline bool add_each(const T* value, const double* share, std::size_t n, figures& to) {
    lanes4<with_squares> low{to, 0}, high{to, width};
    for (; n >= lanes; n -= lanes, value += lanes) {
        if (share) {
            low.add(value, share);
            high.add(value + width, share + width);
            share += lanes;
        } else {
            low.add(value);
            high.add(value + width);
        }
    }
    if (n > 0) {
        const last_cells<T> last{value, share, n};
        low.add(last.value, last.share);
        high.add(last.value + width, last.share + width);
    }
    if (!low.is_finite() || !high.is_finite()) return false;
    low.store(to, 0);
    high.store(to, width);
    return true;
}
GDALMCP_WIDE_REGISTERS
bool add_plain(const double* value, const double* share, std::size_t n, figures& to) {
    return share ? add_each<false>(value, share, n, to) : add_each<false>(value, nullptr, n, to);
}
GDALMCP_WIDE_REGISTERS
bool add_plain(const float* value, const double*, std::size_t n, figures& to) {
    return add_each<false>(value, nullptr, n, to);
}
GDALMCP_WIDE_REGISTERS
bool add_squares(const double* value, const double* share, std::size_t n, figures& to) {
    return share ? add_each<true>(value, share, n, to) : add_each<true>(value, nullptr, n, to);
}
GDALMCP_WIDE_REGISTERS
bool add_squares(const float* value, const double*, std::size_t n, figures& to) {
    return add_each<true>(value, nullptr, n, to);
}

template <class T>
inline void mark_each(const T* value, std::size_t n, T lowest, T highest, unsigned char* valid) {
    for (std::size_t i = 0; i < n; ++i) {
        const bool missing = ((value[i] >= lowest) & (value[i] <= highest)) | (value[i] != value[i]);
        valid[i] = missing ? 0 : valid[i];
    }
}

compensated_sum all_of(const lane_array& sum, const lane_array& lost) {
    compensated_sum all;
    for (std::size_t k = 0; k < lanes; ++k) {
        all.add(sum[k]);
        all.add(lost[k]);
    }
    return all;
}

}  // namespace

template <class T>
bool run_totals::add_whole(const T* values, std::size_t n) {
    if (!(keeps_squares_ ? add_squares(values, nullptr, n, of_) : add_plain(values, nullptr, n, of_))) return false;
    cells_ += n;
    // The last cells of a run have their shares in the lanes.
    whole_ += n - n % lanes;
    return true;
}

bool run_totals::add(const double* values, std::size_t n) { return add_whole(values, n); }
bool run_totals::add(const float* values, std::size_t n) { return add_whole(values, n); }
bool run_totals::add(const double* values, const double* shares, std::size_t n) {
    if (!(keeps_squares_ ? add_squares(values, shares, n, of_) : add_plain(values, shares, n, of_))) return false;
    cells_ += n;
    return true;
}

compensated_sum run_totals::count() const {
    auto all = all_of(of_.shares, of_.shares_lost);
    all.add(static_cast<double>(whole_));
    return all;
}
compensated_sum run_totals::sum() const { return all_of(of_.sum, of_.sum_lost); }
compensated_sum run_totals::squares() const { return all_of(of_.squares, of_.squares_lost); }
double run_totals::min() const { return *std::min_element(of_.min.begin(), of_.min.end()); }
double run_totals::max() const { return *std::max_element(of_.max.begin(), of_.max.end()); }

GDALMCP_WIDE_REGISTERS
void mark_missing(const double* value, std::size_t n, double lowest, double highest, unsigned char* valid) {
    mark_each(value, n, lowest, highest, valid);
}
GDALMCP_WIDE_REGISTERS
void mark_missing(const float* value, std::size_t n, double lowest, double highest, unsigned char* valid) {
    mark_each(value, n, static_cast<float>(lowest), static_cast<float>(highest), valid);
}

}  // namespace gdalmcp_aggregation
