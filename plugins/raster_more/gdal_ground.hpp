// gdal_ground.hpp — lengths on the ground of the units of a raster's grid, for algorithms that measure in a plane.
#pragma once
#include <string>
#include <vector>

#include "datasets/gdal_grid.hpp"

namespace gdalmcp_raster_more {

using namespace gdalmcp_datasets;

// Metres on the ground of one unit of the grid's coordinates. By the unit of the CRS where its lengths are true within
// 1 %; else by the mean scale over the grid, with a note. Fails the call for a grid without a projected CRS, one that
// is rotated or mirrored, and where lengths vary by more than 10 % either way, naming a CRS that suits the extent.
double ground_metres(const std::string& path, const grid& on, std::vector<std::string>& notes);

// Fails the call for a grid that is rotated, mirrored or not georeferenced. South-up ones pass.
void require_upright(const std::string& path, const grid& on);

// Length of the side of a cell in units of the CRS. Fails the call where width and height differ by more than 1 %.
double square_side(const std::string& path, const grid& on, std::vector<std::string>& notes);

}  // namespace gdalmcp_raster_more
