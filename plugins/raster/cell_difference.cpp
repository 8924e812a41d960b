#include "cell_difference.hpp"

#include <cmath>

namespace gdalmcp_raster {
namespace {

double stored_value(const stored_cells& s, std::size_t i) {
    return s.form.single ? static_cast<double>(reinterpret_cast<const float*>(s.of.cells)[i])
                         : reinterpret_cast<const double*>(s.of.cells)[i];
}
double value_of(const stored_cells& s, double stored) { return stored * s.form.scale + s.form.offset; }
bool has_data(const stored_cells& s, std::size_t i) { return !s.of.valid || s.of.valid[i]; }

}  // namespace

void difference_counts::merge(const difference_counts& other) {
    increased += other.increased;
    decreased += other.decreased;
    unchanged += other.unchanged;
}

difference_counts subtract(const stored_cells& before, const stored_cells& after, std::size_t count, double tolerance,
                           double* out) {
    difference_counts found;
    for (std::size_t i = 0; i < count; ++i) {
        out[i] = std::numeric_limits<double>::quiet_NaN();
        if (!has_data(before, i) || !has_data(after, i)) continue;
        const double change = value_of(after, stored_value(after, i)) - value_of(before, stored_value(before, i));
        if (!std::isfinite(change)) continue;
        out[i] = change;
        found.increased += change > tolerance;
        found.decreased += change < -tolerance;
        found.unchanged += std::abs(change) <= tolerance;
    }
    return found;
}

}  // namespace gdalmcp_raster
