#include "mosaic_layout.hpp"

#include <algorithm>
#include <cmath>

namespace gdalmcp_raster {

namespace {

constexpr double slack = 1e-3;  // cells

bool whole(double cells) { return std::abs(cells - std::round(cells)) <= slack; }
std::int64_t first_touched(double cell) { return static_cast<std::int64_t>(std::floor(cell + slack)); }
std::int64_t end_touched(double cell) { return static_cast<std::int64_t>(std::ceil(cell - slack)); }

// With columns and rows relative to the upper left corner of `grid`.
placement place_on(const lattice& grid, const lattice& raster) {
    const double left = (raster.x - grid.x) / grid.cell_width, top = (grid.y - raster.y) / grid.cell_height;
    placement p;
    p.aligned = same_cells(grid, raster) && whole(left) && whole(top);
    if (p.aligned) {
        p.column = std::llround(left);
        p.row = std::llround(top);
        p.columns = raster.columns;
        p.rows = raster.rows;
        return p;
    }
    const double right = left + static_cast<double>(raster.columns) * raster.cell_width / grid.cell_width,
                 bottom = top + static_cast<double>(raster.rows) * raster.cell_height / grid.cell_height;
    p.column = first_touched(left);
    p.row = first_touched(top);
    p.columns = std::max<std::int64_t>(1, end_touched(right) - p.column);
    p.rows = std::max<std::int64_t>(1, end_touched(bottom) - p.row);
    return p;
}

}  // namespace

bool same_cells(const lattice& a, const lattice& b) {
    const auto columns = static_cast<double>(std::max(a.columns, b.columns)),
               rows = static_cast<double>(std::max(a.rows, b.rows));
    return std::abs(a.cell_width - b.cell_width) * columns <= slack * a.cell_width &&
           std::abs(a.cell_height - b.cell_height) * rows <= slack * a.cell_height;
}

mosaic_layout layout_of(const std::vector<lattice>& rasters, std::array<double, 2> cell) {
    mosaic_layout out;
    auto& grid = out.grid;
    grid.cell_width = cell[0];
    grid.cell_height = cell[1];
    const auto anchor =
        std::find_if(rasters.begin(), rasters.end(), [&](const lattice& r) { return same_cells(r, grid); });
    if (anchor != rasters.end()) {
        grid = *anchor;  // its very numbers
        grid.columns = grid.rows = 0;
    } else {
        grid.x = std::min_element(rasters.begin(), rasters.end(), [](auto& a, auto& b) { return a.x < b.x; })->x;
        grid.y = std::max_element(rasters.begin(), rasters.end(), [](auto& a, auto& b) { return a.y < b.y; })->y;
    }
    for (const auto& r : rasters) out.places.push_back(place_on(grid, r));
    std::int64_t left = out.places.front().column, top = out.places.front().row;
    for (const auto& p : out.places) left = std::min(left, p.column), top = std::min(top, p.row);
    for (auto& p : out.places) {
        p.column -= left;
        p.row -= top;
        grid.columns = std::max(grid.columns, p.column + p.columns);
        grid.rows = std::max(grid.rows, p.row + p.rows);
    }
    grid.x += static_cast<double>(left) * grid.cell_width;
    grid.y -= static_cast<double>(top) * grid.cell_height;
    return out;
}

bool gapless(const mosaic_layout& layout) {
    std::vector<std::int64_t> edges{0, layout.grid.rows};
    for (const auto& p : layout.places) edges.insert(edges.end(), {p.row, p.row + p.rows});
    std::sort(edges.begin(), edges.end());
    auto by_column = layout.places;
    std::sort(by_column.begin(), by_column.end(), [](auto& a, auto& b) { return a.column < b.column; });
    // Between two edges every row is covered alike.
    for (std::size_t i = 1; i < edges.size(); ++i) {
        if (edges[i] == edges[i - 1]) continue;
        std::int64_t reached = 0;
        for (const auto& p : by_column)
            if (p.row <= edges[i - 1] && p.row + p.rows >= edges[i] && p.column <= reached)
                reached = std::max(reached, p.column + p.columns);
        if (reached < layout.grid.columns) return false;
    }
    return true;
}

}  // namespace gdalmcp_raster
