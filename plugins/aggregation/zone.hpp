// zone.hpp — the outline of a zone in the coordinates of a grid: x in columns from the left edge of column 0, y in rows
// from the top edge of row 0, so that cell (row, column) is the square [column, column + 1] x [row, row + 1].
#pragma once
#include <cstddef>
#include <optional>
#include <vector>

namespace gdalmcp_aggregation {

struct point {
    double x, y;
};

// Open or closed, wound either way.
using ring = std::vector<point>;

struct polygon {
    ring exterior;
    std::vector<ring> holes;
};

// The parts of a zone may touch but not overlap; rings may not cross themselves or each other.
using zone = std::vector<polygon>;

// A block of cells: rows [row, row + height), columns [column, column + width).
struct window {
    std::size_t row = 0, column = 0, height = 0, width = 0;

    std::size_t size() const { return width * height; }
    bool operator==(const window&) const = default;
};

window common(const window& a, const window& b);  // empty where they share no cell
window around(const window& a, const window& b);  // the smallest with both; an empty one counts for nothing

// In cells; positive when the ring runs clockwise as seen with rows pointing down.
double signed_area(const ring& r);

// Exteriors less holes, in cells, however they are wound.
double area_of(const zone& outline);

bool lies_within(const zone& outline, std::size_t rows, std::size_t columns);

// The smallest block of the rows x columns grid that holds every cell the zone may cover; empty when there is none.
window enclosing(const zone& outline, std::size_t rows, std::size_t columns);

// Of the blocks that hold cells, the one whose rows differ most in the area of a cell: its place in `blocks`, and the
// smallest and the largest of these areas.
struct unequal_rows {
    std::size_t block;
    double least, most;
};
// areas: of a cell of each row of the grid; a block with an area of 0 or less is passed over. nullopt: no block has
// rows that differ.
std::optional<unequal_rows> most_unequal(const std::vector<window>& blocks, const std::vector<double>& areas);

}  // namespace gdalmcp_aggregation
