#include "spare_value.hpp"

#include <cstdint>
#include <limits>

namespace gdalmcp_raster {

namespace {
template <class T>
constexpr double lowest = static_cast<double>(std::numeric_limits<T>::lowest());
template <class T>
constexpr double highest = static_cast<double>(std::numeric_limits<T>::max());
}  // namespace

spare_value::spare_value(std::optional<cell_type> type) {
    if (!type) return;
    switch (*type) {
        case cell_type::uint8:
            every_ = true;
            candidates_ = {255, 0};
            break;
        case cell_type::uint16:
            every_ = true;
            candidates_ = {65535, 0};
            break;
        case cell_type::int16:
            every_ = true;
            lowest_ = lowest<std::int16_t>;
            candidates_ = {-32768, -9999};
            break;
        case cell_type::uint32:
            candidates_ = {highest<std::uint32_t>, 0};
            break;
        case cell_type::int32:
            candidates_ = {lowest<std::int32_t>, -9999};
            break;
        case cell_type::float32:
            candidates_ = {-9999, lowest<float>};
            break;
        case cell_type::float64:
            candidates_ = {-9999, lowest<double>};
            break;
        default:
            break;
    }
    seen_.assign(every_ ? (*type == cell_type::uint8 ? 256 : 65536) : candidates_.size(), false);
}

void spare_value::see(const double* cells, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) {
        if (every_) {
            seen_[static_cast<std::size_t>(cells[i] - lowest_)] = true;
            continue;
        }
        for (std::size_t c = 0; c < candidates_.size(); ++c)
            if (cells[i] == candidates_[c]) seen_[c] = true;
    }
}

std::optional<double> spare_value::found() const {
    for (std::size_t c = 0; c < candidates_.size(); ++c)
        if (!seen_[every_ ? static_cast<std::size_t>(candidates_[c] - lowest_) : c]) return candidates_[c];
    if (every_)
        for (std::size_t i = seen_.size(); i-- > 0;)
            if (!seen_[i]) return lowest_ + static_cast<double>(i);
    return std::nullopt;
}

}  // namespace gdalmcp_raster
