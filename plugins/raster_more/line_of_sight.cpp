#include "line_of_sight.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>

namespace gdalmcp_raster_more {
namespace {

constexpr double level = 1e-9;  // m by which rounding may lift a surface over a line along it

double at(const sighted_surface& s, int row, int column) {
    return s.heights[static_cast<std::size_t>(row) * static_cast<std::size_t>(s.columns) +
                     static_cast<std::size_t>(column)];
}

// Whether the surface rises over the line from `eye` to `end` at a column (or row) between both ends. `across`:
// columns.
bool blocked(const sighted_surface& s, const sighting& from, int along, int aside, bool across, double eye,
             double end) {
    const int steps = std::abs(along), sign = along < 0 ? -1 : 1;
    const int start = across ? from.column : from.row, beside = across ? from.row : from.column;
    for (int k = 1; k < steps; ++k) {
        const double place = beside + static_cast<double>(static_cast<std::int64_t>(aside) * k) / steps;
        const int before = static_cast<int>(std::floor(place));
        const double part = place - before;
        const int there = start + sign * k;
        double z = across ? at(s, before, there) : at(s, there, before);
        if (part > 0) z = (1 - part) * z + part * (across ? at(s, before + 1, there) : at(s, there, before + 1));
        if (z > eye + (end - eye) * k / steps + level) return true;
    }
    return false;
}

}  // namespace

void lower_by_curvature(sighted_surface& s, const sighting& from, double share, double radius) {
    auto* z = s.heights.data();
    for (int row = 0; row < s.rows; ++row)
        for (int column = 0; column < s.columns; ++column, ++z) {
            const double x = (column - from.column) * s.width, y = (row - from.row) * s.height;
            *z -= share * (x * x + y * y) / (2 * radius);
        }
}

void see_row(const sighted_surface& s, const sighting& from, int row, int column, int count, unsigned char* out) {
    const double eye = at(s, from.row, from.column) + from.eye;
    for (int i = 0; i < count; ++i) {
        const int dx = column + i - from.column, dy = row - from.row;
        const double z = at(s, row, column + i) + from.target;
        auto seen = sight::none;
        if (!std::isnan(z) && !(from.reach && std::hypot(dx * s.width, dy * s.height) > *from.reach * (1 + 1e-12)))
            seen = blocked(s, from, dx, dy, true, eye, z) || blocked(s, from, dy, dx, false, eye, z) ? sight::hidden
                                                                                                     : sight::visible;
        out[i] = static_cast<unsigned char>(seen);
    }
}

}  // namespace gdalmcp_raster_more
