// gdal_cell_size.hpp — the true size of single cells in any CRS.
//
//   if (const auto cells = cell_ruler::of(on))
//       if (const auto size = cells->size(column, row)) size->width;  // m
//
// Lengths and areas are those of geodesics on the ellipsoid of the grid's CRS (Karney 2013). For the areas of many
// cells see gdalmcp/gdal_cell_area.hpp.
#pragma once
#include <geodesic.h>
#include <gdalmcp/gdal_transformation.hpp>

#include <optional>
#include <string>

#include "gdal_grid.hpp"

namespace gdalmcp_datasets {

struct cell_size {
    double width = 0, height = 0;  // m
    double area() const { return width * height; }
};

class cell_ruler {
public:
    // nullopt without a CRS, for a local one, and if PROJ fails.
    static std::optional<cell_ruler> of(const grid& on);

    // Of the cell at (column, row), between the middles of its sides. nullopt where the projection is undefined. A
    // rotated or skewed cell counts as the rectangle of these two lengths.
    std::optional<cell_size> size(double column, double row) const;

    // m², of the quadrangle of the cell's corners.
    std::optional<double> area(double column, double row) const;

private:
    cell_ruler() = default;
    bool to_degrees(std::array<double, 4>& x, std::array<double, 4>& y) const;

    std::array<double, 6> geotransform_{};
    gdalmcp::gdal::transformation transformation_;
    geod_geodesic earth_{};
    double unit_ = 1;  // degrees per unit of longitude and latitude
};

// The planar lengths of the sides of cells in metres over the true ones, at the corners, on the sides and in the middle
// of a grid in a projected CRS: the smallest, and the largest. nullopt where there are none.
std::optional<std::array<double, 2>> length_ratios(const grid& on);

// One cell: cell_ruler::of(on)->size(column, row).
std::optional<cell_size> cell_size_of(const grid& on, double column, double row);

// A warning for results in which every cell counts alike, where the largest covers at least a twentieth more than the
// smallest; else "". Cells that a pole or the outline of the map cuts do not count.
std::string unequal_cells(const grid& on);

// The same of two areas, m². `counting`: the results, "mean and shares"; `instead`: how to have them by area.
std::string unequal_cells(double smallest, double largest, const std::string& counting, const std::string& instead);

}  // namespace gdalmcp_datasets
