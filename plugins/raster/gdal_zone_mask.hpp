// gdal_zone_mask.hpp — the cells of a grid that a geometry selects.
#pragma once
#include <gdalmcp/gdal_blocks.hpp>
#include <gdalmcp/gdal_geometry.hpp>

#include "datasets/gdal_grid.hpp"
#include "datasets/gdal_raster_source.hpp"

namespace gdalmcp_raster {

using namespace gdalmcp_datasets;

using gdalmcp::gdal::window;

// The grid of a window of a grid: cells stay where they are.
grid part_of(const grid& whole, const window& w);

class zone_mask {
public:
    // Selects cells whose centre is inside the polygons, or with all_touched all cells they touch; points and lines
    // always select what they touch. shape: in the CRS of the grid. Refused: the shape is off the grid (naming the
    // extent in two CRSs); no cell selected.
    zone_mask(const OGRGeometry& shape, const grid& on, bool all_touched);

    // The smallest window with all selected cells.
    const window& bounds() const { return bounds_; }
    // Share of the shape's area (length, number of points) that lies outside the grid.
    double outside_share() const { return outside_; }
    // "12.5 % of the geometry lies outside the raster and is not `done`"; "" where nothing does.
    std::string outside_text(const std::string& done) const;
    // 1 = selected, for `rows` rows of the bounds from its row `first` on; bounds().width values each.
    void read(int first, int rows, std::vector<unsigned char>& out) const;

private:
    gdalmcp::gdal::geometry_ptr shape_;  // in cells: x = column, y = row, from the corner of the grid
    window bounds_;
    double outside_ = 0;
    bool all_touched_;
};

}  // namespace gdalmcp_raster
