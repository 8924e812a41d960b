// ogr_pour_points.hpp — points of a layer as cells of a grid of directions.
#pragma once
#include "gdal_raster.hpp"

namespace gdalmcp_hydrology {

struct placed_point {
    std::int64_t feature = 0;  // its FID
    std::string name;          // for messages: "point 4", of a multipoint "point 4 (number 2 of 3)"
    std::size_t cell = 0;
    double x = 0, y = 0;         // in the CRS of the raster
    double right = 0, down = 0;  // from the centre of its cell, in cells
};

// Where points may lie: a gauge on a lake without data is snapped to the terrain.
enum class footing { terrain, anywhere };

// The cells that hold the points, in their order. Fails the call on points outside the raster or, unless anywhere, on
// cells without terrain, and where there is no point at all.
std::vector<placed_point> read_points(gdalmcp::call& call, const gdalmcp::vector& points, const gdal_raster& raster,
                                      const grid<std::uint8_t>& directions, footing on);

}  // namespace gdalmcp_hydrology
