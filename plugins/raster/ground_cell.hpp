// ground_cell.hpp — the true size of a cell, wherever it lies and whatever its CRS.
#pragma once
#include "grid.hpp"

namespace gdalmcp_raster {

struct ground_size {
    double width = 0, height = 0;  // m
    double area() const { return width * height; }
};

// Of the cell at (column, row), along geodesics on the CRS's own ellipsoid between the middles of its sides. Nothing
// without a CRS, and where PROJ cannot say. A rotated or skewed cell is taken as the rectangle of these two lengths.
std::optional<ground_size> ground_cell(const grid& on, double column, double row);

}  // namespace gdalmcp_raster
