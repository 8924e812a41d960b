#include "burnt_values.hpp"

#include <algorithm>
#include <cmath>

#include "raster/calculated_cells.hpp"

namespace gdalmcp_raster_more {

using gdalmcp_raster::cell_type;

namespace {
constexpr double slack = 1e-9;  // of a cell
}

void burnt_values::see(double value) {
    lowest_ = std::min(lowest_, value);
    highest_ = std::max(highest_, value);
    (value < 0 ? below_ : above_) += value;
    whole_ = whole_ && value == std::floor(value);
    single_ = single_ && static_cast<double>(static_cast<float>(value)) == value;
}

bool burnt_values::range_held_by(cell_type type, double low, double high) const {
    if (type == cell_type::float64) return true;
    if (type == cell_type::float32) return single_ && std::abs(low) <= 3e38 && std::abs(high) <= 3e38;
    return whole_ && gdalmcp_raster::holds(type, low) && gdalmcp_raster::holds(type, high);
}

bool burnt_values::held_by(cell_type type) const { return range_held_by(type, lowest_, highest_); }

bool burnt_values::sums_held_by(cell_type type) const {
    // Whole numbers up to 2^24 are exact in float32; sums of fractions are not.
    if (type == cell_type::float32) return whole_ && below_ >= -16'777'216 && above_ <= 16'777'216;
    return range_held_by(type, below_, above_);
}

cell_type burnt_values::type(bool adding, std::optional<double> background) const {
    for (const auto t : {cell_type::uint8, cell_type::int16, cell_type::uint16, cell_type::int32, cell_type::uint32,
                         cell_type::float32}) {
        if (!(adding ? sums_held_by(t) : held_by(t))) continue;
        if (background && !gdalmcp_raster::holds(t, *background)) continue;
        const double none = gdalmcp_raster::default_nodata(t);
        if (background || none < lowest_ || none > highest_ || std::isnan(none)) return t;
    }
    return cell_type::float64;
}

cell_axis cells_on_multiples(double low, double high, double step, bool closed) {
    const double first = std::floor(low / step + slack);
    double last = std::ceil(high / step - slack);
    if (last <= first || (closed && high / step > last - slack)) last = std::max(last, first) + 1;
    return {first * step, static_cast<std::int64_t>(last - first)};
}

cell_axis cells_from(double low, double high, double step) {
    return {low, std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil((high - low) / step - slack)))};
}

}  // namespace gdalmcp_raster_more
