#include "cell_run.hpp"

#include "datasets/wide_registers.hpp"

namespace gdalmcp_aggregation {
namespace {

constexpr std::size_t lanes = 8;

struct lane_figures {
    double sum[lanes], lost[lanes], min[lanes], max[lanes];
};

// compensated_sum::add() and the extremes, a value for each lane.
template <class T>
inline void add_each(const T* value, std::size_t rows, lane_figures& to) {
    lane_figures f = to;
    for (std::size_t row = 0; row < rows; ++row, value += lanes)
        for (std::size_t k = 0; k < lanes; ++k) {
            const double v = value[k], total = f.sum[k] + v, part = total - f.sum[k];
            f.lost[k] += (f.sum[k] - (total - part)) + (v - part);
            f.sum[k] = total;
            f.min[k] = v < f.min[k] ? v : f.min[k];
            f.max[k] = v > f.max[k] ? v : f.max[k];
        }
    to = f;
}
GDALMCP_WIDE_REGISTERS
void add_rows(const double* value, std::size_t rows, lane_figures& to) { add_each(value, rows, to); }
GDALMCP_WIDE_REGISTERS
void add_rows(const float* value, std::size_t rows, lane_figures& to) { add_each(value, rows, to); }

template <class T>
run_figures figures_of_run(const T* value, std::size_t n) {
    run_figures out{{}, value[0], value[0]};
    const auto extend = [&](double low, double high) {
        out.min = low < out.min ? low : out.min;
        out.max = high > out.max ? high : out.max;
    };
    if (const std::size_t rows = n / lanes; rows > 0) {
        lane_figures f{};
        for (std::size_t k = 0; k < lanes; ++k) f.min[k] = f.max[k] = value[k];
        add_rows(value, rows, f);
        for (std::size_t k = 0; k < lanes; ++k) {
            out.sum.add(f.sum[k]);
            out.sum.add(f.lost[k]);
            extend(f.min[k], f.max[k]);
        }
    }
    for (std::size_t i = n - n % lanes; i < n; ++i) {
        out.sum.add(value[i]);
        extend(value[i], value[i]);
    }
    return out;
}

template <class T>
inline void mark_each(const T* value, std::size_t n, T lowest, T highest, unsigned char* valid) {
    for (std::size_t i = 0; i < n; ++i) {
        const bool missing = ((value[i] >= lowest) & (value[i] <= highest)) | (value[i] != value[i]);
        valid[i] = missing ? 0 : valid[i];
    }
}

}  // namespace

run_figures figures_of(const double* value, std::size_t n) { return figures_of_run(value, n); }
run_figures figures_of(const float* value, std::size_t n) { return figures_of_run(value, n); }

GDALMCP_WIDE_REGISTERS
void mark_missing(const double* value, std::size_t n, double lowest, double highest, unsigned char* valid) {
    mark_each(value, n, lowest, highest, valid);
}
GDALMCP_WIDE_REGISTERS
void mark_missing(const float* value, std::size_t n, double lowest, double highest, unsigned char* valid) {
    mark_each(value, n, static_cast<float>(lowest), static_cast<float>(highest), valid);
}

}  // namespace gdalmcp_aggregation
