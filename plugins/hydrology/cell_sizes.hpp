// cell_sizes.hpp — true lengths and areas of the cells of a raster, in metres and square metres.
//
// On a projected grid all cells are equal; on a geographic grid a cell narrows towards the poles, so sizes go by row.
#pragma once
#include "grid.hpp"

namespace gdalmcp_hydrology {

class cell_sizes {
public:
    // dx, dy: width and height of every cell in metres, both positive.
    static cell_sizes planar(std::size_t rows, double dx, double dy);

    // A grid in degrees on an ellipsoid of revolution. `north` is the latitude of the top edge; dlon, dlat > 0 are
    // the cell's extent in degrees. inverse_flattening 0 = sphere. Latitudes beyond a pole are taken as the pole.
    static cell_sizes geographic(std::size_t rows, double north, double dlon, double dlat, double semi_major,
                                 double inverse_flattening);

    // Sizes measured elsewhere, one per row. REQUIRES: three lists of the same length.
    static cell_sizes by_row(std::vector<double> dx, std::vector<double> dy, std::vector<double> area);

    // The same lengths with the areas of others. REQUIRES: as many rows.
    cell_sizes with_areas_of(const cell_sizes& others) const { return by_row(dx_, dy_, others.area_); }

    double width(std::size_t row) const { return dx_[row]; }
    double height(std::size_t row) const { return dy_[row]; }
    double area(std::size_t row) const { return area_[row]; }

    // Centre to centre from a cell of `row` to its neighbour in direction d (which may lie off the grid).
    double distance(std::size_t row, std::size_t d) const;

private:
    std::vector<double> dx_, dy_, area_;
};

}  // namespace gdalmcp_hydrology
