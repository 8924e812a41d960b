#include "calculated_cells.hpp"

#include <algorithm>
#include <cmath>

#include "datasets/wide_registers.hpp"

namespace gdalmcp_raster {
namespace {

constexpr std::size_t piece = 8 * gdalmcp_expressions::lane;  // cells at once: small enough for the processor's cache

template <class T>
void load(const T* from, const unsigned char* valid, std::size_t count, double scale, double offset, double* to) {
    if (scale == 1 && offset == 0)
        for (std::size_t i = 0; i < count; ++i) to[i] = static_cast<double>(from[i]);
    else
        for (std::size_t i = 0; i < count; ++i) to[i] = static_cast<double>(from[i]) * scale + offset;
    if (!valid) return;
    for (std::size_t i = 0; i < count; ++i)
        if (!valid[i]) to[i] = std::numeric_limits<double>::quiet_NaN();
}

// Whether every value fits the type as it is, and none is the nodata value.
template <class T>
bool plain(const double* from, std::size_t count, double nodata) {
    constexpr auto lowest = static_cast<double>(std::numeric_limits<T>::lowest());
    constexpr auto highest = static_cast<double>(std::numeric_limits<T>::max());
    const T none = static_cast<T>(nodata);
    int odd = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const double v = from[i];
        const int outside = !(v >= lowest) | !(v <= highest);  // NaN is
        odd |= outside;
        const T kept = outside ? T{} : static_cast<T>(v);
        if constexpr (std::numeric_limits<T>::is_integer) odd |= static_cast<double>(kept) != v;
        odd |= kept == none;
    }
    return odd == 0;
}

template <class T>
void store(const double* from, std::size_t count, double nodata, T* to, cell_losses& lost) {
    if (plain<T>(from, count, nodata)) {
        for (std::size_t i = 0; i < count; ++i) to[i] = static_cast<T>(from[i]);
        return;
    }
    const T none = static_cast<T>(nodata);
    for (std::size_t i = 0; i < count; ++i) {
        const double v = from[i];
        if (std::isnan(v)) {
            to[i] = none;
            lost.undefined += gdalmcp_expressions::is_undefined(v);
            continue;
        }
        if (v < static_cast<double>(std::numeric_limits<T>::lowest()) ||
            v > static_cast<double>(std::numeric_limits<T>::max())) {
            ++lost.outside;
            lost.lowest_outside = std::min(lost.lowest_outside, v);
            lost.highest_outside = std::max(lost.highest_outside, v);
            to[i] = none;
            continue;
        }
        to[i] = static_cast<T>(v);
        if constexpr (std::numeric_limits<T>::is_integer) lost.fractions += static_cast<double>(to[i]) != v;
        lost.like_nodata += to[i] == none;  // never of NaN
    }
}

}  // namespace

double default_nodata(cell_type t) {
    return with_type(t, [](auto zero) -> double {
        using type = decltype(zero);
        if constexpr (!std::numeric_limits<type>::is_integer) return std::numeric_limits<double>::quiet_NaN();
        return static_cast<double>(std::numeric_limits<type>::is_signed ? std::numeric_limits<type>::lowest()
                                                                        : std::numeric_limits<type>::max());
    });
}

bool holds(cell_type t, double value) {
    return with_type(t, [value](auto zero) {
        using type = decltype(zero);
        if (std::isnan(value)) return !std::numeric_limits<type>::is_integer;
        if (value < static_cast<double>(std::numeric_limits<type>::lowest()) ||
            value > static_cast<double>(std::numeric_limits<type>::max()))
            return false;
        return static_cast<double>(static_cast<type>(value)) == value;
    });
}

void cell_losses::merge(const cell_losses& other) {
    undefined += other.undefined;
    outside += other.outside;
    fractions += other.fractions;
    like_nodata += other.like_nodata;
    lowest_outside = std::min(lowest_outside, other.lowest_outside);
    highest_outside = std::max(highest_outside, other.highest_outside);
}

GDALMCP_WIDE_REGISTERS
void calculation::compute(const std::vector<input_cells>& cells, std::size_t count, void* out,
                          calculation_state& state) const {
    state.values.resize(cells.size());
    state.results.resize(piece);
    std::vector<const double*> values;
    for (auto& v : state.values) {
        v.resize(piece);
        values.push_back(v.data());
    }
    for (std::size_t first = 0; first < count; first += piece) {
        const std::size_t length = std::min(piece, count - first);
        for (std::size_t k = 0; k < cells.size(); ++k) {
            const auto* valid = cells[k].valid ? cells[k].valid + first : nullptr;
            const auto& form = inputs[k];
            if (form.single)
                load(reinterpret_cast<const float*>(cells[k].cells) + first, valid, length, form.scale, form.offset,
                     state.values[k].data());
            else
                load(reinterpret_cast<const double*>(cells[k].cells) + first, valid, length, form.scale, form.offset,
                     state.values[k].data());
        }
        formula.evaluate(values, length, state.results.data(), state.memory);
        with_type(type, [&](auto zero) {
            store(state.results.data(), length, nodata, static_cast<decltype(zero)*>(out) + first, state.lost);
        });
    }
}

}  // namespace gdalmcp_raster
