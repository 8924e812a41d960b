// focal.hpp — a statistic of the cells in a window around each cell, over plain arrays.
//
// Cells are visited row by row, so a result depends neither on blocks nor on threads. Missing neighbours, and those
// beyond the raster, are left out; a cell that is missing itself has no result. A weighted sum is defined only where no
// neighbour is missing.
#pragma once
#include <cstddef>
#include <vector>

namespace gdalmcp_raster_more {

enum class focal_statistic {
    mean,
    sum,
    min,
    max,
    range,
    median,
    stdev,
    count,
    majority,
    minority,
    variety,
    weighted_sum
};

// A neighbour of the window, rows downwards and columns to the right of the cell.
struct focal_neighbour {
    int row = 0, column = 0;
    double weight = 1;  // of a weighted sum
};

// Rows × columns of cells, both odd.
std::vector<focal_neighbour> rectangle(int rows, int columns);
// Cells whose centre is at most `radius` away; height and width: of a cell, in the unit of radius.
std::vector<focal_neighbour> circle(double radius, double height, double width);
// The weights of a kernel, row by row from the upper left, both numbers odd; correlation, not mirrored.
std::vector<focal_neighbour> kernel(const std::vector<double>& weights, int rows, int columns);

// The farthest row or column of a window: the halo that a block needs.
int reach(const std::vector<focal_neighbour>& window);

// Cells around (0, 0); `stride` cells from row to row. valid: 0 = missing.
struct focal_cells {
    const double* first;
    const unsigned char* valid;
    std::ptrdiff_t stride;
    double scale = 1, offset = 0;  // of the values that the cells stand for
};

// Memory that calls of one thread share.
struct focal_scratch {
    std::vector<double> values;
};

// The statistic of each of `count` cells from (0, 0) to the right; `none` where there is no result. median: of an even
// number of values the mean of the two in the middle. stdev: population form. majority, minority: of values as frequent
// the smallest.
void focal(focal_statistic s, const std::vector<focal_neighbour>& window, const focal_cells& cells, std::size_t count,
           double none, double* out, focal_scratch& scratch);

}  // namespace gdalmcp_raster_more
