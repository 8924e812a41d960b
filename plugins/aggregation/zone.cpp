#include "zone.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace gdalmcp_aggregation {

window common(const window& a, const window& b) {
    const auto row = std::max(a.row, b.row), column = std::max(a.column, b.column);
    const auto row_end = std::min(a.row + a.height, b.row + b.height);
    const auto column_end = std::min(a.column + a.width, b.column + b.width);
    if (row >= row_end || column >= column_end) return {};
    return {row, column, row_end - row, column_end - column};
}

window around(const window& a, const window& b) {
    if (a.size() == 0) return b;
    if (b.size() == 0) return a;
    const auto row = std::min(a.row, b.row), column = std::min(a.column, b.column);
    return {row, column, std::max(a.row + a.height, b.row + b.height) - row,
            std::max(a.column + a.width, b.column + b.width) - column};
}

double signed_area(const ring& r) {
    double twice = 0;
    for (std::size_t i = 0; i < r.size(); ++i) {
        // Relative to a vertex: far coordinates lose digits.
        const auto &p = r[i], &q = r[i + 1 < r.size() ? i + 1 : 0], &o = r[0];
        twice += (p.x - o.x) * (q.y - o.y) - (q.x - o.x) * (p.y - o.y);
    }
    return twice / 2;
}

double area_of(const zone& outline) {
    double area = 0;
    for (const auto& part : outline) {
        area += std::abs(signed_area(part.exterior));
        for (const auto& hole : part.holes) area -= std::abs(signed_area(hole));
    }
    return area;
}

bool lies_within(const zone& outline, std::size_t rows, std::size_t columns) {
    const auto inside = [&](const point& p) {
        return p.x >= 0 && p.y >= 0 && p.x <= static_cast<double>(columns) && p.y <= static_cast<double>(rows);
    };
    return std::all_of(outline.begin(), outline.end(), [&](const polygon& part) {
        return std::all_of(part.exterior.begin(), part.exterior.end(), inside);
    });
}

window enclosing(const zone& outline, std::size_t rows, std::size_t columns) {
    constexpr double far = std::numeric_limits<double>::infinity();
    double west = far, east = -far, top = far, bottom = -far;
    for (const auto& part : outline)
        for (const auto& p : part.exterior) {
            west = std::min(west, p.x);
            east = std::max(east, p.x);
            top = std::min(top, p.y);
            bottom = std::max(bottom, p.y);
        }
    const auto clip = [](double cells, std::size_t limit) {
        return static_cast<std::size_t>(std::clamp(cells, 0.0, static_cast<double>(limit)));
    };
    const auto row = clip(std::floor(top), rows), row_end = clip(std::ceil(bottom), rows);
    const auto column = clip(std::floor(west), columns), column_end = clip(std::ceil(east), columns);
    if (row >= row_end || column >= column_end) return {};
    return {row, column, row_end - row, column_end - column};
}

std::optional<unequal_rows> most_unequal(const std::vector<window>& blocks, const std::vector<double>& areas) {
    std::optional<unequal_rows> worst;
    for (std::size_t i = 0; i < blocks.size() && !areas.empty(); ++i) {
        const auto& b = blocks[i];
        if (b.size() == 0) continue;
        const auto first = areas.begin() + static_cast<std::ptrdiff_t>(b.row);
        const auto [least, most] = std::minmax_element(first, first + static_cast<std::ptrdiff_t>(b.height));
        if (!(*least > 0) || *most * (worst ? worst->least : 1) <= (worst ? worst->most : 1) * *least) continue;
        worst = unequal_rows{i, *least, *most};
    }
    return worst;
}

}  // namespace gdalmcp_aggregation
